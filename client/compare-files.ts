import { normalisePath } from '../contracts/values/names/file-names.ts';

/** A file of the transfer's current version. */
export type KnownFile = { id: string; relativePath: string; size: number; sha256: string | null };

export type LocalFile = {
  /** '/'-separated path that recipients see. */
  relativePath: string;
  /** Bytes. */
  size: number;
};

export type Comparison<File extends LocalFile> = {
  /** New or changed: must be sent. */
  send: File[];
  /** Known bytes under another path: need not be sent. */
  reused: { fileId: string; relativePath: string }[];
  /** Ids of files that the next version does not contain: deleted, moved or replaced. */
  removed: string[];
  unchanged: number;
};

type Request<File extends LocalFile> = {
  known: readonly KnownFile[];
  local: readonly File[];
  /** SHA-256 in lower-case hex. Called only for files whose size a known file has. */
  hash: (file: File) => Promise<string>;
};

/**
 * Finds what an update of a transfer has to send. Files are equal if their sizes and SHA-256s are. Known files that are
 * missing locally are removed only from the top-level folders that `local` contains, so updating one folder or file
 * leaves everything else as it is. A file whose checksum is not known yet is sent again.
 */
export async function compareFiles<File extends LocalFile>({
  known,
  local,
  hash,
}: Request<File>): Promise<Comparison<File>> {
  const byPath = new Map(known.map((file) => [file.relativePath, file]));
  const byContent = new Map<string, KnownFile>();
  const sizes = new Set<number>();
  for (const file of known) {
    if (file.sha256 === null) continue;
    sizes.add(file.size);
    byContent.set(contentKey(file.size, file.sha256), file);
  }
  const result: Comparison<File> = { send: [], reused: [], removed: [], unchanged: 0 };
  const kept = new Set<string>();
  const folders = new Set<string>();
  for (const file of local) {
    const relativePath = normalisePath(file.relativePath) ?? file.relativePath;
    const folder = topFolder(relativePath);
    if (folder !== undefined) folders.add(folder);
    const present = byPath.get(relativePath);
    const sha256 = sizes.has(file.size) ? await hash(file) : undefined;
    if (present && present.size === file.size && present.sha256 !== null && present.sha256 === sha256) {
      kept.add(present.id);
      result.unchanged += 1;
      continue;
    }
    if (present) result.removed.push(present.id);
    const same = sha256 === undefined ? undefined : byContent.get(contentKey(file.size, sha256));
    if (same) result.reused.push({ fileId: same.id, relativePath });
    else result.send.push(file);
  }
  const replaced = new Set(result.removed);
  for (const { id, relativePath } of known) {
    const folder = topFolder(relativePath);
    if (folder === undefined || !folders.has(folder) || kept.has(id) || replaced.has(id)) continue;
    result.removed.push(id);
  }
  return result;
}

function contentKey(size: number, sha256: string): string {
  return `${size} ${sha256}`;
}

function topFolder(path: string): string | undefined {
  const end = path.indexOf('/');
  return end === -1 ? undefined : path.slice(0, end);
}
