import type { Readable } from 'node:stream';
import { chunkLength } from '../../../contracts/plans/limits.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { countReceivedBytes } from './chunk-garbage.ts';
import { ChunkTimes } from './chunk-times.ts';
import { parseContentDigest } from './content-digest.ts';
import { countStoredBytes } from './disk-reservations.ts';
import { gateKey, type Sender } from './gate.ts';
import { placeOf } from './places.ts';
import { type ChunkTarget, findChunkTarget, touchUpload } from './queries.ts';
import { enterUpload } from './shared-gate.ts';
import type { Scope } from './uploader.ts';

/** A chunk as it comes in: nothing of its body has been read yet. */
export type IncomingChunk = {
  scope: Scope;
  uploadId: string;
  /** As written in the address. */
  index: string;
  stream: Readable;
  /** Content-Length; undefined when the sender does not say. */
  declaredBytes: number | undefined;
  contentDigest: string | undefined;
  receivedBytes: Sender['receivedBytes'];
};

/** A chunk a minute is sign of life enough: more would be a database write per chunk. */
const TOUCH_EVERY_MS = MINUTE_MS;

/**
 * Stores one chunk; when it resolves, every byte is stored, also after kill -9 (decisions, "Uploads").
 * One writer per chunk: who comes later waits, and the last whole one wins. Throws AppError
 * `upload_not_found`, `upload_closed`, `chunk_index_out_of_range`, `wrong_chunk_length`, `chunk_too_long`,
 * `chunk_cut_short`, `bad_digest`, `digest_mismatch`, `storage_full`, and `unavailable` when another writer took the
 * chunk over; the body may then be unread.
 */
export async function receiveChunk(context: Context, chunk: IncomingChunk): Promise<number> {
  const { scope, uploadId, stream, receivedBytes } = chunk;
  const digest = parseContentDigest(chunk.contentDigest);
  const index = parseIndex(chunk.index);
  const key = gateKey({ ...scope, id: uploadId });
  const sender = { receivedBytes, abort: () => void stream.destroy() };
  const times = new ChunkTimes(context, { uploadId, index });
  // The upload is read behind the gate, where nobody can complete or discard it any more.
  return times.run(() =>
    enterUpload(context, { key, index, sender }, async (right) => {
      times.enter();
      const target = await times.ofDatabase(() => findOpenTarget(context, chunk));
      requireFittingLength(target, index, chunk.declaredBytes);
      if (target.sizeBytes > 0) {
        const place = placeOf(target);
        await times.ofStorage(async (waited) => {
          await context.blobs.prepare(place);
          await context.blobs.writeChunk(place, {
            index,
            stream,
            waited,
            ...right,
            ...(digest && { digest }),
          });
        });
        const sizeBytes = chunkLength(target.sizeBytes, target.chunkSize, index);
        countReceivedBytes(sizeBytes);
        countStoredBytes(context, target.id, sizeBytes);
      }
      await times.ofDatabase(() => noteActivity(context, target));
      return index;
    }),
  );
}

/** The upload as it is now. Throws AppError `upload_not_found`, `upload_closed`, and as above for the index. */
async function findOpenTarget({ db }: Context, chunk: IncomingChunk): Promise<ChunkTarget> {
  const target = await findChunkTarget(db, chunk.scope, chunk.uploadId);
  if (!target) throw new AppError('upload_not_found');
  if (target.state !== 'open') throw new AppError('upload_closed');
  return target;
}

/** Beyond every chunk count when it is no number, so that the answer can name it with the count. */
function parseIndex(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}

/** Refuses before a byte is read. An empty file may be sent as one empty chunk. */
function requireFittingLength(target: ChunkTarget, index: number, declaredBytes: number | undefined): void {
  const totalChunks = target.chunkCount;
  if (index >= Math.max(1, totalChunks))
    throw new AppError('chunk_index_out_of_range', {
      details: { totalChunks, index: index === Number.MAX_SAFE_INTEGER ? 'of that name' : index },
    });
  const expected = chunkLength(target.sizeBytes, target.chunkSize, index);
  const details = { index, expected };
  const declared = declaredBytes ?? expected;
  if (declared > expected) throw new AppError('chunk_too_long', { details });
  if (declared < expected) throw new AppError('wrong_chunk_length', { details });
}

/** Notes that the upload lives, now and then. */
export async function noteActivity({ db, clock }: Context, target: ChunkTarget): Promise<void> {
  const now = clock.now();
  // The distance counts, not the direction: the clock may have been ahead.
  if (Math.abs(now - target.lastActivityAt) >= TOUCH_EVERY_MS) await touchUpload(db, target.id, now);
}
