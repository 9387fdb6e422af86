import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../server/context.ts';
import { insertStagedBlobs, type StagedBlob } from '../../server/features/imports/index.ts';
import { isAppError } from '../../server/platform/lib/app-error.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';
import type { Place } from '../../server/platform/storage/blob-store.ts';
import { placeOfBlob, writeChunks } from '../../server/platform/storage/write-blob.ts';
import { forEachAtOnce } from '../stored-bytes.ts';
import { FileProblem, type StoredFiles } from './reading/stored-files.ts';

/** Sealed and recorded together, so that small files cost one sync, and little is copied again after an interruption. */
const BATCH_FILES = 100;
const BATCH_BYTES = 256 * MIB;
const FILES_AT_ONCE = 4;
const PIECE_BYTES = MIB;

export type FileToCopy = { sourceId: string; location: string[]; sizeBytes: number };

type Copying = {
  context: OperatorContext;
  importId: string;
  stored: StoredFiles;
  onCopied: (bytes: number) => void;
  onProblem: (file: FileToCopy, reason: string) => void;
};

/**
 * Copies files into the storage and records each one once it is durable. Files that cannot be read are reported and
 * left out. Throws CommandError if the storage is full.
 */
export async function copyFiles(copying: Copying, files: FileToCopy[]): Promise<StagedBlob[]> {
  const staged: StagedBlob[] = [];
  for (const batch of inBatches(files)) staged.push(...(await copyBatch(copying, batch)));
  return staged;
}

function* inBatches(files: FileToCopy[]): Generator<FileToCopy[]> {
  let batch: FileToCopy[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.sizeBytes;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

type Copy = { file: FileToCopy; place: Place; crc32: number; sha256: string };

async function copyBatch(copying: Copying, batch: FileToCopy[]): Promise<StagedBlob[]> {
  const { context, importId, onProblem } = copying;
  const { db, blobs, clock } = context;
  const copies: Copy[] = [];
  try {
    await forEachAtOnce(listEach(batch), FILES_AT_ONCE, async (file) => {
      try {
        copies.push(await copyFile(copying, file));
      } catch (error) {
        if (!(error instanceof FileProblem)) throw error;
        onProblem(file, error.message);
      }
    });
    const sealed = await blobs.seal(copies.map(({ place }) => place));
    const differs = copies.find((copy, index) => copy.crc32 !== sealed[index]!.crc32);
    if (differs) throw new Error(`The storage has other bytes of ${differs.file.sourceId} than were copied.`);
  } catch (error) {
    for (const { place } of copies) await blobs.remove(place.storageKey);
    if (isAppError(error, 'storage_full'))
      throw new CommandError(
        EXIT.failed,
        'The storage is full. What was imported so far stays. Free some space and run the command again to continue.',
      );
    throw error;
  }
  const rows = copies.map(({ file, place, ...sums }) => ({
    importId,
    sourceId: file.sourceId,
    storageKey: place.storageKey,
    sizeBytes: place.sizeBytes,
    ...sums,
    createdAt: clock.now(),
  }));
  const surplus = new Set(await insertStagedBlobs(db, rows));
  for (const storageKey of surplus) await blobs.remove(storageKey);
  if (surplus.size > 0)
    throw new CommandError(EXIT.failed, 'Another import of the same installation is running.');
  return rows;
}

async function* listEach<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

/** Throws FileProblem if the source cannot be read completely; then nothing is left in the storage. */
async function copyFile({ context: { blobs }, stored, onCopied }: Copying, file: FileToCopy): Promise<Copy> {
  const { file: handle, sizeBytes } = await stored.open(file.location);
  const place = placeOfBlob(randomId(), file.sizeBytes);
  const hash = createHash('sha256');
  let sum = 0;
  let problem: FileProblem | undefined;
  const readPieces = async function* (start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      // Allocate each piece: the stream may still use the previous one.
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
      const bytesRead = await handle.read(piece, 0, piece.length, at).then(
        (read) => read.bytesRead,
        (error: NodeJS.ErrnoException) => {
          problem = new FileProblem(`it cannot be read (${error.code})`);
          throw problem;
        },
      );
      if (bytesRead === 0) {
        problem = new FileProblem('it became shorter while it was copied');
        throw problem;
      }
      const bytes = piece.subarray(0, bytesRead);
      hash.update(bytes);
      sum = crc32(bytes, sum);
      at += bytesRead;
      onCopied(bytesRead);
      yield bytes;
    }
  };
  try {
    if (sizeBytes !== file.sizeBytes) throw new FileProblem('its size changed while it was imported');
    const read = (start: number, end: number) => Readable.from(readPieces(start, end), { objectMode: false });
    await writeChunks(blobs, place, read);
    return { file, place, crc32: sum, sha256: hash.digest('hex') };
  } catch (error) {
    await blobs.remove(place.storageKey);
    throw problem ?? error;
  } finally {
    await handle.close();
  }
}
