import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { RefusedError } from './command.ts';

/**
 * A backup is a folder:
 *   backup.json           what is whole: written last, in one step; names the other two
 *   database-<id>.db      all rows as SQLite, whichever engine they came from
 *   files-<id>.ndjson     a line for each blob in blobs/
 *   secret-<id>           signs cookies and links; readable by its owner only
 *   blobs/<2>/<key>.<…>   copied once, also for later backups into the same folder
 */
export const MANIFEST = 'backup.json';

const FileNote = z.object({ name: z.string(), sizeBytes: z.int(), crc32: z.int() });

const Manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  database: FileNote,
  /** null: SESSION_SECRET holds it. */
  secret: FileNote.nullable(),
  /** null: without files. */
  files: FileNote.extend({ blobs: z.int(), blobBytes: z.int() }).nullable(),
});
export type Manifest = z.infer<typeof Manifest>;
export type FileNote = z.infer<typeof FileNote>;

const BlobNote = z.object({
  storageKey: z.string(),
  /** In `blobs/`; null: its bytes could not be read when the backup was made. */
  name: z
    .string()
    .regex(/^[a-z0-9_-]{2}\/[a-z0-9_.-]+$/)
    .nullable(),
  sizeBytes: z.int(),
  crc32: z.int(),
});
export type BlobNote = z.infer<typeof BlobNote>;

/** undefined where no backup was ever finished. Throws RefusedError for one of another kind. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    throw new RefusedError(`${join(folder, MANIFEST)} is not a backup that this version can read.`);
  }
}

/** Whole or absent at every instant, also after a power cut. */
export async function writeDurably(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, 'w', mode);
  await file.writeFile(content);
  await file.sync();
  await file.close();
  await rename(draft, path);
  await syncFolder(dirname(path));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

/** Size and CRC-32 of a file, read piece by piece. */
export async function describeFile(path: string): Promise<FileNote> {
  let crc = 0;
  let sizeBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    crc = crc32(piece as Buffer, crc);
    sizeBytes += (piece as Buffer).length;
  }
  return { name: basename(path), sizeBytes, crc32: crc };
}

/** Throws RefusedError when the file is not the one that was noted. */
export async function requireIntact(folder: string, note: FileNote): Promise<string> {
  const path = join(folder, basename(note.name));
  const found = await describeFile(path).catch(() => undefined);
  if (found?.sizeBytes === note.sizeBytes && found.crc32 === note.crc32) return path;
  throw new RefusedError(`The backup is damaged: ${path} is not what was written.`);
}

/** Writes the notes of blobs, one line each. */
export class BlobNoteWriter {
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

  async add(note: BlobNote): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.blobs += 1;
    this.blobBytes += note.sizeBytes;
    if (this.#file.write(`${JSON.stringify(note)}\n`)) return;
    await new Promise<void>((resolve) => {
      this.#file.once('drain', resolve).once('close', resolve);
    });
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#file.once('close', () => (this.#failure ? reject(this.#failure) : resolve()));
      this.#file.end();
    });
  }
}

export async function* readBlobNotes(path: string): AsyncGenerator<BlobNote> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) yield BlobNote.parse(JSON.parse(line));
}

/** The length of a file, or undefined. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
