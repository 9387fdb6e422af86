/** The parameters of a page's address; undefined for another page. */
export function matchPage(path: string, pathname: string): Record<string, string> | undefined {
  const pattern = path.replace(/:(\w+)/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}/?$`).exec(pathname);
  if (!match) return undefined;
  try {
    const named = Object.entries(match.groups ?? {});
    return Object.fromEntries(named.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    // A stray "%".
    return undefined;
  }
}
