/**
 * Encodes a version as the selection of a download, so that download rows and tickets need no other column. No encoded
 * selection of files begins with `~`.
 */
export function selectVersion(version: number): string {
  return `~${version}`;
}

/** Undefined for a selection of files. */
export function readSelectedVersion(selection: string): number | undefined {
  return selection.startsWith('~') ? Number(selection.slice(1)) : undefined;
}
