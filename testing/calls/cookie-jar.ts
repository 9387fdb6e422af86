type Cookie = { name: string; value: string; path: string };

/** The part of a browser's cookie store that one site needs: names, paths and deletion. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  keep(setCookies: string[], requestPath: string): void {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf('='));
      const path = readAttribute(attributes, 'path') ?? requestPath.replace(/\/[^/]*$/, '');
      const expires = readAttribute(attributes, 'expires');
      const isGone = readAttribute(attributes, 'max-age') === '0' || (expires && Date.parse(expires) <= 0);
      const key = `${name};${path}`;
      if (isGone) this.#cookies.delete(key);
      else this.#cookies.set(key, { name, value: pair.slice(name.length + 1), path });
    }
  }

  headerFor(requestPath: string): string {
    const path = requestPath.split('?', 1)[0]!;
    return this.list()
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  list(): Cookie[] {
    return [...this.#cookies.values()];
  }

  add(cookie: Cookie): void {
    this.#cookies.set(`${cookie.name};${cookie.path}`, cookie);
  }

  clear(): void {
    this.#cookies.clear();
  }
}

function readAttribute(attributes: string[], name: string): string | undefined {
  const found = attributes.find((each) => each.toLowerCase().startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
