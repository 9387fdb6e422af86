import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { MIB } from '../../../contracts/sizes.ts';
import type { BlobOpener, BlobSlice } from '../../platform/lib/byte-source.ts';
import { type BlobNoteWriter, sizeOf } from './backup-folder.ts';
import type { NamedBlob } from './named-blob-queries.ts';
import { readBlocks } from './read-blocks.ts';

const COPIES_AT_ONCE = 4;
const BLOCK_BYTES = MIB;

export type Copied = { copiedBlobs: number; copiedBytes: number; missingBlobs: number };

type Target = {
  /** `<backup>/blobs`. */
  folder: string;
  notes: BlobNoteWriter;
  /** Name → CRC-32, of what the backup before has copied. */
  known: ReadonlyMap<string, number>;
};

/** Copies what is not there yet, a few at once, and notes all. */
export async function copyBlobs(
  blobs: BlobOpener,
  named: AsyncGenerator<NamedBlob>,
  { folder, notes, known }: Target,
): Promise<Copied> {
  const tally: Copied = { copiedBlobs: 0, copiedBytes: 0, missingBlobs: 0 };
  const takeOn = async (blob: NamedBlob, block: Buffer) => {
    const { storageKey, sizeBytes } = blob;
    const name = nameOf(blob);
    const path = join(folder, name);
    const crc = known.get(name);
    if (crc !== undefined && (await sizeOf(path)) === sizeBytes)
      return notes.add({ storageKey, name, sizeBytes, crc32: crc });
    const sum = await copyBlob(blobs, blob, { path, block });
    if (sum === undefined) tally.missingBlobs += 1;
    else tally.copiedBlobs += 1;
    tally.copiedBytes += sum === undefined ? 0 : sizeBytes;
    await notes.add({ storageKey, name: sum === undefined ? null : name, sizeBytes, crc32: sum ?? 0 });
  };
  await forEachAtOnce(named, COPIES_AT_ONCE, takeOn);
  return tally;
}

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

/** Unlike for other bytes: a pack in which another file is whole by now is copied anew. */
function nameOf({ storageKey, sizeBytes, version }: NamedBlob): string {
  return `${storageKey.slice(0, 2)}/${storageKey}.${sizeBytes.toString(36)}-${version}`;
}

type Writing = { path: string; block: Buffer };

/** The CRC-32, or undefined when the storage has not all its bytes. Under its name only when it is whole and synced. */
async function copyBlob(
  blobs: BlobOpener,
  { storageKey, sizeBytes }: NamedBlob,
  { path, block }: Writing,
): Promise<number | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return copyBytes(blobs, { storageKey, offset: 0, sizeBytes }, { path, block });
}

/** Copies stored bytes into a new file, which has its name only when it is whole; its CRC-32, or undefined. */
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
        for (let at = 0; at < piece.length; )
          at += (await file.write(piece, at, piece.length - at, position + at)).bytesWritten;
      },
    });
    if (isWhole) await file.datasync();
  } finally {
    await file.close();
    if (!isWhole) await unlink(draft);
  }
  if (!isWhole) return undefined;
  await rename(draft, path);
  return sum;
}
