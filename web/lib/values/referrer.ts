const LONGEST = 2_000;

/** Origin and path of the previous page, without its query, which may be secret; undefined for none. */
export function referrerOf(referrer: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined;
  const { origin, pathname } = new URL(referrer);
  // Native applications have the origin 'null'.
  return origin === 'null' ? undefined : (origin + pathname).slice(0, LONGEST);
}
