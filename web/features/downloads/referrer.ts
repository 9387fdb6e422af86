const LONGEST = 2_000;

/** Origin and path of the page that led here, without what it may keep secret; undefined for none. */
export function referrerOf(referrer: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined;
  const { origin, pathname } = new URL(referrer);
  // Applications that are no web pages have no origin to name.
  return origin === 'null' ? undefined : (origin + pathname).slice(0, LONGEST);
}
