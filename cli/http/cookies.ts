/** The cookies of one transfer: its password's grant and the ticket of a counted download. Kept between runs. */
export type Cookies = Record<string, string>;

/** Takes over what an answer sets. */
export function keepCookies(cookies: Cookies, setCookies: readonly string[] = []): void {
  for (const line of setCookies) {
    const pair = line.split(';', 1)[0]!;
    const name = pair.slice(0, pair.indexOf('=')).trim();
    if (name) cookies[name] = pair.slice(pair.indexOf('=') + 1).trim();
  }
}

export function toCookieHeader(cookies: Cookies): string | undefined {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return pairs.length > 0 ? pairs.join('; ') : undefined;
}
