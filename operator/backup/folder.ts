import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { MIB } from '../../contracts/values/sizes.ts';

/** A file of the backup with its digests; backups of the first format have no SHA-256. */
export const FileEntry = z.object({
  name: z.string().regex(/^[A-Za-z0-9._-]+$/),
  sizeBytes: z.int(),
  crc32: z.int(),
  sha256: z.string().optional(),
});
export type FileEntry = z.infer<typeof FileEntry>;

const BlobEntry = z.object({
  storageKey: z.string(),
  /** Path within `blobs/`; null if the bytes could not be read when the backup was made. */
  name: z
    .string()
    .regex(/^[a-z0-9_-]{2}\/[a-z0-9_.-]+$/)
    .nullable(),
  sizeBytes: z.int(),
  crc32: z.int(),
  /** Ids of the files in it whose bytes were already wrong when the backup was made. */
  damagedFiles: z.array(z.string()).optional(),
});
/** One line of `files-<name>.ndjson`. */
export type BlobEntry = z.infer<typeof BlobEntry>;

/** Replaces the file in one step. After a crash or power cut it has either the old or the new content. */
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

/** Reads a file once and returns its size and digests. */
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

/** Returns undefined if size and digests of the file are right. */
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

/** Writes the list of blobs, one JSON line each. Throws the first write error from `add` or `end`. */
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
    await new Promise<void>((resolve) => {
      this.#file.once('drain', resolve).once('close', resolve);
    });
  }

  /** Closes the file without waiting for data that is not written yet. */
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

/**
 * Reads the list of blobs; yields nothing if it is missing. Skips lines that cannot be parsed: the digest of the list
 * reveals them.
 */
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

/** The length of a file, or undefined if there is none. */
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
 * Passes exactly `sizeBytes` of a copied blob to `onPiece`, with zeros in place of what the disk cannot return.
 * Returns 'missing' without a call if there is no such file, and 'damaged' if it has another length or the disk
 * reported a read error.
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

/** Fills the piece, with zeros where the file is too short or the disk reports a read error. Returns false in that case. */
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
