const ANY_ORIGIN = 'https://sendwell.invalid';

/**
 * A path of this installation with query and fragment; undefined for anything else. Never a URL of another host, which
 * would make a redirect to it an open one.
 */
export function readReturnPath(path: string | null | undefined): string | undefined {
  if (!path?.startsWith('/') || !URL.canParse(path, ANY_ORIGIN)) return undefined;
  // Parse as browsers do: they remove tabs and treat backslashes as slashes.
  const { origin, pathname, search, hash } = new URL(path, ANY_ORIGIN);
  if (origin !== ANY_ORIGIN || pathname.startsWith('//')) return undefined;
  return pathname + search + hash;
}
