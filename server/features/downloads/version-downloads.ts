/**
 * The zip of one version, where other zips have the bitmap of a selection. `~` keeps it apart from all bitmaps, so rows of
 * downloads and tickets need no column of their own.
 */
export function selectVersion(version: number): string {
  return `~${version}`;
}

/** Undefined for selections of other files. */
export function readSelectedVersion(selection: string): number | undefined {
  return selection.startsWith('~') ? Number(selection.slice(1)) : undefined;
}
