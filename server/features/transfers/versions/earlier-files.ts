/**
 * The id of the row in `transfers` that holds the files which updates have removed from a transfer. No call accepts it,
 * because it isn't a valid id.
 */
export function earlierFilesOf(transferId: string): string {
  return `${transferId}~`;
}

/** The id of the transfer to which a file with this `transferId` belongs, in any version. */
export function transferIdOf(holder: string): string {
  return holder.replace(/~$/, '');
}

/** For queries that find files of all versions of a transfer by id or position, which are unique across versions. */
export function allVersionsOf(transferId: string): string[] {
  return [transferId, earlierFilesOf(transferId)];
}
