import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Db } from '../../platform/db/open.ts';
import { ScratchMap } from '../../platform/db/scratch-map.ts';
import type { BlobOpener, BlobSlice } from '../../platform/lib/byte-source.ts';
import type { NamedBlob } from '../uploads/index.ts';
import { type BlobNote, type BlobNoteWriter, readBlobNotes, readCopy, sizeOf } from './backup-folder.ts';
import type { Manifest } from './backup-generations.ts';
import { type BlobFile, listBlobFiles } from './blob-file-queries.ts';
import { FileSums } from './file-sums.ts';
import { readBlocks } from './read-blocks.ts';

const COPIES_AT_ONCE = 4;
const BLOCK_BYTES = MIB;

/** Runs a task for each of many, a few at a time, each of those with a block of its own. Stops at the first failure. */
export async function forEachAtOnce<T>(
  source: AsyncGenerator<T>,
  atOnce: number,
  task: (each: T, block: Buffer) => Promise<void>,
): Promise<void> {
  let isStopped = false;
  const runNext = async () => {
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    try {
      for (let next = await source.next(); !next.done && !isStopped; next = await source.next())
        await task(next.value, block);
    } finally {
      isStopped = true;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, runNext));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

type Writing = { path: string; block: Buffer };

/** Copies stored bytes into a new file and returns their CRC-32. Writes no file and returns undefined if they are incomplete. */
export async function copyBytes(
  blobs: BlobOpener,
  slice: BlobSlice,
  { path, block }: Writing,
): Promise<number | undefined> {
  const draft = `${path}.tmp`;
  const file = await open(draft, 'w', 0o600);
  let sum = 0;
  let isWhole = false;
  try {
    isWhole = await readBlocks(blobs, slice, {
      block,
      async onPiece(piece, position) {
        sum = crc32(piece, sum);
        await writeAll(file, piece, position);
      },
    });
    if (isWhole) await file.datasync();
  } finally {
    await file.close();
    if (!isWhole) await rm(draft);
  }
  if (!isWhole) return undefined;
  await rename(draft, path);
  return sum;
}

async function writeAll(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let at = 0; at < piece.length; )
    at += (await file.write(piece, at, piece.length - at, position + at)).bytesWritten;
}

/** The newest copy of a blob that an earlier generation lists. */
type EarlierCopy = { name: string; sizeBytes: number; crc32: number; isDamaged: boolean };

/** The copies that earlier generations list. Memory does not grow with their number. */
export class EarlierCopies {
  readonly #copies = new ScratchMap();

  /** `generations` in the order they were made. */
  async load(folder: string, generations: Manifest[]): Promise<void> {
    for (const { files } of generations)
      if (files)
        for await (const { name, sizeBytes, crc32: crc, damagedFiles } of readBlobNotes(
          join(folder, files.name),
        )) {
          if (name === null) continue;
          const copy: EarlierCopy = { name, sizeBytes, crc32: crc, isDamaged: damagedFiles !== undefined };
          for (const key of [name, name.replace(OTHER_BYTES, '')])
            this.#copies.set(key, JSON.stringify(copy));
        }
  }

  find(name: string): EarlierCopy | undefined {
    const text = this.#copies.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as EarlierCopy);
  }

  /** All copies of a blob: a pack is copied anew when files were added to it. */
  listNames(storageKey: string): string[] {
    return this.#copies.listByPrefix(`${storageKey.slice(0, 2)}/${storageKey}.`).map(([name]) => name);
  }

  close(): void {
    this.#copies.close();
  }
}

/** Ends the name of a copy when the usual name stands for other bytes, or would suggest that they are right. */
const OTHER_BYTES = /\.x[0-9a-f]+$/;

/** Another name for other bytes: a pack to which files were added is copied anew. */
export function copyNameOf({
  storageKey,
  sizeBytes,
  version,
}: Pick<NamedBlob, 'storageKey' | 'sizeBytes' | 'version'>): string {
  return `${storageKey.slice(0, 2)}/${storageKey}.${sizeBytes.toString(36)}-${version}`;
}

/** A file, or a blob without files, whose stored bytes are missing or wrong. */
export type StoredDamage = {
  storageKey: string;
  fileId: string | null;
  /** Whether the backup has the right bytes, from an earlier copy. */
  isKept: boolean;
  /** Whether the server had marked the file as damaged before. */
  isKnown: boolean;
};

export type CopyTally = {
  copiedBlobs: number;
  copiedBytes: number;
  /** Copies of earlier generations that were read again and compared with their digest. */
  verifiedBlobs: number;
  /** Copies that had rotted or were missing, and were replaced. */
  repairedBlobs: number;
  /** Blobs of which there is nothing to copy. */
  missingBlobs: number;
};

type CopyOrder = {
  blobs: BlobOpener;
  /** The copied rows, with the CRC-32 of each file. */
  rows: Db;
  /** `<backup>/blobs`. */
  folder: string;
  notes: BlobNoteWriter;
  earlier: EarlierCopies;
  /** Whether to read an earlier copy and the stored bytes again in this run. */
  isDue(name: string): boolean;
  onDamage(damage: StoredDamage): void;
};

/**
 * Copies the blobs that the folder does not have yet, a few at once, and lists all of them. Stored bytes are compared
 * with the CRC-32 of each file while they are read, so wrong bytes never replace right ones that the folder has.
 */
export async function copyBlobs(named: AsyncGenerator<NamedBlob>, order: CopyOrder): Promise<CopyTally> {
  const copying = new BlobCopying(order);
  await forEachAtOnce(named, COPIES_AT_ONCE, async (blob, block) =>
    order.notes.add(await copying.takeOver(blob, block)),
  );
  return copying.tally;
}

type Stored = { sums: FileSums; isWhole: boolean };
type OnPiece = (piece: Buffer, position: number) => Promise<void>;

class BlobCopying {
  readonly tally: CopyTally = {
    copiedBlobs: 0,
    copiedBytes: 0,
    verifiedBlobs: 0,
    repairedBlobs: 0,
    missingBlobs: 0,
  };
  readonly #order: CopyOrder;

  constructor(order: CopyOrder) {
    this.#order = order;
  }

  async takeOver(blob: NamedBlob, block: Buffer): Promise<BlobNote> {
    const { earlier, isDue } = this.#order;
    const name = copyNameOf(blob);
    const copy = earlier.find(name);
    const isThere = (await sizeOf(this.#pathOf(copy?.name ?? name))) === blob.sizeBytes;
    if (copy && !copy.isDamaged) {
      if (!isThere) return this.#repair(blob, copy, block);
      return isDue(name) ? this.#verify(blob, copy, block) : noteOf(blob, copy);
    }
    const adopted = !copy && isThere ? await this.#adopt(blob, name, block) : undefined;
    return adopted ?? this.#copy(blob, block);
  }

  /** Replaces a copy that has rotted. Keeps a good one, whatever the storage has by now. */
  async #verify(blob: NamedBlob, copy: EarlierCopy, block: Buffer): Promise<BlobNote> {
    this.tally.verifiedBlobs += 1;
    const sums = await this.#readCopy(blob, copy.name, block);
    if (!sums || sums.crc32 !== copy.crc32) return this.#repair(blob, copy, block);
    // Backups of the first format may have copied wrong bytes with a matching digest.
    if (sums.wrong.length > 0) return this.#copy(blob, block);
    const stored = await this.#readStored(blob, block);
    if (blob.hasFiles) this.#report(blob, stored.sums.wrong, { isKept: true });
    else if (!stored.isWhole || stored.sums.crc32 !== copy.crc32) this.#reportBlob(blob, { isKept: true });
    return noteOf(blob, copy);
  }

  async #repair(blob: NamedBlob, copy: EarlierCopy, block: Buffer): Promise<BlobNote> {
    const note = await this.#copy(blob, block);
    if (note.name !== null && !note.damagedFiles) {
      this.tally.repairedBlobs += 1;
      this.tally.copiedBlobs -= 1;
      this.tally.copiedBytes -= blob.sizeBytes;
    }
    // Where there is nothing better, an earlier copy with some right bytes stays listed with its digest.
    if (note.name === null && (await sizeOf(this.#pathOf(copy.name))) !== undefined)
      return { ...noteOf(blob, copy), damagedFiles: note.damagedFiles ?? [] };
    return note;
  }

  /** Uses what a run that was killed has copied, if its files are right. */
  async #adopt(blob: NamedBlob, name: string, block: Buffer): Promise<BlobNote | undefined> {
    if (!blob.hasFiles) return undefined;
    const sums = await this.#readCopy(blob, name, block);
    return sums && sums.wrong.length === 0 ? noteOf(blob, { name, crc32: sums.crc32 }) : undefined;
  }

  /** Copies the stored bytes; wrong ones are replaced from earlier copies where those are right. */
  async #copy(blob: NamedBlob, block: Buffer): Promise<BlobNote> {
    const name = copyNameOf(blob);
    const draft = `${this.#pathOf(name)}.tmp`;
    await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'w+', 0o600);
    try {
      const { sums, isWhole } = await this.#readStored(blob, block, (piece, at) => writeAll(file, piece, at));
      const missing = await this.#patch(blob, { file, wrong: sums.wrong, block });
      const lost = new Set(missing.map(({ id }) => id));
      for (const isKept of [true, false])
        this.#report(
          blob,
          sums.wrong.filter(({ id }) => lost.has(id) !== isKept),
          { isKept },
        );
      if (!blob.hasFiles && !isWhole) this.#reportBlob(blob, { isKept: false });
      const hasAny = isWhole || sums.right > 0 || missing.length < sums.wrong.length;
      const damagedFiles = missing.length > 0 ? { damagedFiles: [...lost] } : {};
      if (!hasAny) {
        this.tally.missingBlobs += 1;
        return { ...noteOf(blob, { name: null, crc32: 0 }), ...damagedFiles };
      }
      await file.truncate(blob.sizeBytes);
      const crc = isWhole && sums.wrong.length === 0 ? sums.crc32 : await sumOf(file, blob, block);
      await file.datasync();
      const target = this.#targetOf(name, { crc, isDamaged: missing.length > 0 });
      await rename(draft, this.#pathOf(target));
      this.tally.copiedBlobs += 1;
      this.tally.copiedBytes += blob.sizeBytes;
      return { ...noteOf(blob, { name: target, crc32: crc }), ...damagedFiles };
    } finally {
      await file.close();
      await rm(draft, { force: true });
    }
  }

  /** A name stands for the same right bytes in all generations. */
  #targetOf(name: string, { crc, isDamaged }: { crc: number; isDamaged: boolean }): string {
    const copy = this.#order.earlier.find(name);
    const isTaken = copy !== undefined && (copy.name !== name || copy.crc32 !== crc);
    return isDamaged || isTaken ? `${name}.x${crc.toString(16)}` : name;
  }

  /** Writes the right bytes of wrong files from earlier copies of the blob; returns those that none has. */
  async #patch(
    { storageKey }: NamedBlob,
    { file, wrong, block }: { file: FileHandle; wrong: BlobFile[]; block: Buffer },
  ): Promise<BlobFile[]> {
    if (wrong.length === 0) return [];
    let missing = wrong;
    for (const name of this.#order.earlier.listNames(storageKey)) {
      const source = await open(this.#pathOf(name), 'r').catch(() => undefined);
      if (!source) continue;
      try {
        const still: BlobFile[] = [];
        for (const each of missing) {
          const isRight = (await sumOf(source, each, block)) === each.crc32;
          if (isRight) await sumOf(source, each, block, (piece, at) => writeAll(file, piece, at));
          else still.push(each);
        }
        missing = still;
      } finally {
        await source.close();
      }
    }
    return missing;
  }

  async #readStored(blob: NamedBlob, block: Buffer, onPiece?: OnPiece): Promise<Stored> {
    const sums = this.#sumsFor(blob);
    const slice = { storageKey: blob.storageKey, offset: 0, sizeBytes: blob.sizeBytes };
    const isWhole = await readBlocks(this.#order.blobs, slice, {
      block,
      async onPiece(piece, position) {
        await sums.add(piece);
        await onPiece?.(piece, position);
      },
    }).catch((error: NodeJS.ErrnoException) => {
      // A sector that cannot be read must not keep everything else from being backed up.
      if (error.code === 'EIO' && error.syscall === 'read') return false;
      throw error;
    });
    await sums.end();
    return { sums, isWhole };
  }

  /** undefined if the copy is missing or has another length. */
  async #readCopy(blob: NamedBlob, name: string, block: Buffer): Promise<FileSums | undefined> {
    const sums = this.#sumsFor(blob);
    const fault = await readCopy(this.#pathOf(name), {
      sizeBytes: blob.sizeBytes,
      block,
      onPiece: (piece) => sums.add(piece),
    });
    await sums.end();
    return fault ? undefined : sums;
  }

  #sumsFor({ storageKey, hasFiles }: NamedBlob): FileSums {
    return new FileSums(hasFiles ? listBlobFiles(this.#order.rows, storageKey) : noFiles());
  }

  #pathOf(name: string): string {
    return join(this.#order.folder, name);
  }

  #report({ storageKey }: NamedBlob, wrong: BlobFile[], { isKept }: { isKept: boolean }): void {
    for (const { id, damagedAt } of wrong)
      this.#order.onDamage({ storageKey, fileId: id, isKept, isKnown: damagedAt !== null });
  }

  #reportBlob({ storageKey }: NamedBlob, { isKept }: { isKept: boolean }): void {
    this.#order.onDamage({ storageKey, fileId: null, isKept, isKnown: false });
  }
}

async function* noFiles(): AsyncGenerator<BlobFile> {}

function noteOf(
  { storageKey, sizeBytes }: NamedBlob,
  { name, crc32: crc }: { name: string | null; crc32: number },
): BlobNote {
  return { storageKey, name, sizeBytes, crc32: crc };
}

/** CRC-32 of a slice of an open file; another number than any CRC-32 if the file is too short. */
async function sumOf(
  file: FileHandle,
  { offset = 0, sizeBytes }: { offset?: number; sizeBytes: number },
  block: Buffer,
  onPiece?: OnPiece,
): Promise<number> {
  let sum = 0;
  for (let done = 0; done < sizeBytes; ) {
    const piece = block.subarray(0, Math.min(block.length, sizeBytes - done));
    const { bytesRead } = await file.read(piece, 0, piece.length, offset + done);
    if (bytesRead === 0) return Number.NaN;
    sum = crc32(piece.subarray(0, bytesRead), sum);
    await onPiece?.(piece.subarray(0, bytesRead), offset + done);
    done += bytesRead;
  }
  return sum;
}
