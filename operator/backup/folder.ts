import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { MIB } from '../../contracts/values/sizes.ts';

/** Backups of the first format have no SHA-256. */
export const FileEntry = z.object({
  name: z.string().regex(/^[A-Za-z0-9._-]+$/),
  sizeBytes: z.int(),
  crc32: z.int(),
  sha256: z.string().optional(),
});
export type FileEntry = z.infer<typeof FileEntry>;

const BlobEntry = z.object({
  storageKey: z.string(),
  /** Path in `blobs/`; null if the bytes could not be read when the backup was made. */
  name: z
    .string()
    .regex(/^[a-z0-9_-]{2}\/[a-z0-9_.-]+$/)
    .nullable(),
  sizeBytes: z.int(),
  crc32: z.int(),
  /** Ids of files whose bytes were already wrong when the backup was made. */
  damagedFiles: z.array(z.string()).optional(),
});
/** One line of `files-<name>.ndjson`. */
export type BlobEntry = z.infer<typeof BlobEntry>;

/** Replaces the file atomically: after a crash or power cut it has either the old or the new content. */
export async function writeDurably(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

export async function syncFolder(path: string): Promise<void> {
  await syncFile(path);
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function describeFile(path: string): Promise<FileEntry> {
  const hash = createHash('sha256');
  let crc = 0;
  let sizeBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: MIB })) {
    crc = crc32(piece as Buffer, crc);
    hash.update(piece as Buffer);
    sizeBytes += (piece as Buffer).length;
  }
  return { name: basename(path), sizeBytes, crc32: crc, sha256: hash.digest('hex') };
}

/** Returns undefined if size and digests are right. */
export async function findFileFault(
  folder: string,
  entry: FileEntry,
): Promise<'missing' | 'damaged' | undefined> {
  const path = join(folder, entry.name);
  if ((await sizeOf(path)) === undefined) return 'missing';
  const found = await describeFile(path).catch(() => undefined);
  const isRight =
    found?.sizeBytes === entry.sizeBytes &&
    found.crc32 === entry.crc32 &&
    (entry.sha256 === undefined || found.sha256 === entry.sha256);
  return isRight ? undefined : 'damaged';
}

/** Writes one JSON line per blob. `add` and `end` throw the first write error. */
export class BlobListWriter {
  blobs = 0;
  blobBytes = 0;
  readonly #file;
  #failure: Error | undefined;

  constructor(path: string) {
    this.#file = createWriteStream(path, { mode: 0o600, flush: true });
    this.#file.on('error', (error) => {
      this.#failure = error;
    });
  }

  async add(entry: BlobEntry): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.blobs += 1;
    this.blobBytes += entry.sizeBytes;
    if (this.#file.write(`${JSON.stringify(entry)}\n`)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#file.on('drain', resolve).on('close', resolve);
    await promise;
    this.#file.off('drain', resolve).off('close', resolve);
  }

  /** Does not wait for buffered data. */
  async abort(): Promise<void> {
    if (this.#file.closed) return;
    await new Promise<void>((resolve) => {
      this.#file.once('close', resolve).destroy();
    });
  }

  async end(): Promise<void> {
    if (this.#failure) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#file.once('close', () => (this.#failure ? reject(this.#failure) : resolve()));
      this.#file.end();
    });
  }
}

/** Yields nothing if the list is missing. Skips malformed lines; the digest of the list reveals them. */
export async function* readBlobList(path: string): AsyncGenerator<BlobEntry> {
  if ((await sizeOf(path)) === undefined) return;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    const entry = parseBlobEntry(line);
    if (entry) yield entry;
  }
}

function parseBlobEntry(line: string): BlobEntry | undefined {
  try {
    return BlobEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Undefined if the file does not exist. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

type Reading = {
  sizeBytes: number;
  /** Reused for every piece. */
  block: Buffer;
  onPiece(piece: Buffer, position: number): void | Promise<void>;
};

/**
 * Passes exactly `sizeBytes` to `onPiece`, with zeros for bytes that cannot be read. Returns 'missing' without a call
 * if the file does not exist, and 'damaged' if its length is wrong or the disk reported a read error.
 */
export async function readCopy(
  path: string,
  { sizeBytes, block, onPiece }: Reading,
): Promise<'missing' | 'damaged' | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return 'missing';
  try {
    let isRight = (await file.stat()).size === sizeBytes;
    for (let at = 0; at < sizeBytes; ) {
      const piece = block.subarray(0, Math.min(block.length, sizeBytes - at));
      if (!(await readOrZeros(file, piece, at))) isRight = false;
      await onPiece(piece, at);
      at += piece.length;
    }
    return isRight ? undefined : 'damaged';
  } finally {
    await file.close();
  }
}

/** Fills unreadable bytes with zeros, and then returns false. */
export async function readOrZeros(file: FileHandle, piece: Buffer, position: number): Promise<boolean> {
  let done = 0;
  try {
    while (done < piece.length) {
      const { bytesRead } = await file.read(piece, done, piece.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
  }
  piece.fill(0, done);
  return done === piece.length;
}
