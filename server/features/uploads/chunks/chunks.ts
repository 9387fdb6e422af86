import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { chunkLength } from '../../../../contracts/plans/limits.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { ExpectedDigest } from '../../../platform/storage/blob-store.ts';
import { arrivalsOf, mayReplaceChunks } from '../arriving/arrivals.ts';
import { countStoredBytes } from '../core/disk-reservations.ts';
import { placeOf } from '../core/places.ts';
import { type ChunkTarget, findChunkTarget, touchUpload } from '../core/queries.ts';
import type { Scope } from '../core/uploader.ts';
import { ChunkTimes } from './chunk-times.ts';
import { countReceivedBytes } from './garbage-collection.ts';
import { enterUpload } from './shared-gate.ts';
import { gateKey, type Sender } from './upload-gate.ts';

type IncomingChunk = {
  scope: Scope;
  uploadId: string;
  /** From the URL, not validated. */
  index: string;
  stream: Readable;
  declaredBytes: number | undefined;
  contentDigest: string | undefined;
  receivedBytes: Sender['receivedBytes'];
};

/** Recording activity for every chunk would cost a database write each. */
const TOUCH_EVERY_MS = MINUTE_MS;

/**
 * Stores one chunk. When it resolves, every byte survives kill -9. Each chunk has one writer at a time: others wait,
 * and the last complete one wins. Throws AppError `upload_not_found`, `upload_closed`, `chunk_index_out_of_range`,
 * `wrong_chunk_length`, `chunk_too_long`, `chunk_cut_short`, `bad_digest`, `digest_mismatch`, `chunk_differs` (of an
 * arriving transfer), `storage_full`, and `unavailable` if another writer took the chunk over; the body may then be unread.
 */
export async function receiveChunk(context: Context, chunk: IncomingChunk): Promise<number> {
  const { scope, uploadId, stream, receivedBytes } = chunk;
  const digest = parseContentDigest(chunk.contentDigest);
  const index = parseIndex(chunk.index);
  const key = gateKey({ ...scope, id: uploadId });
  const sender = { receivedBytes, abort: () => void stream.destroy() };
  const times = new ChunkTimes(context, { uploadId, index });
  // Read the upload inside the gate, where it can no longer be completed or discarded.
  return times.run(() =>
    enterUpload(context, { key, index, sender }, async (claim) => {
      times.enter();
      const target = await times.ofDatabase(() => getOpenTarget(context, scope, uploadId));
      requireFittingLength(target, index, chunk.declaredBytes);
      if (target.sizeBytes > 0) {
        const place = placeOf(target);
        await times.ofStorage(async (waited) => {
          await context.blobs.prepare(place);
          await context.blobs.writeChunk(place, {
            index,
            stream,
            freesPieces: stream instanceof IncomingMessage,
            mayReplace: () => mayReplaceChunks(context.db, uploadId),
            waited,
            ...claim,
            ...(digest && { digest }),
          });
        });
        const sizeBytes = chunkLength(target.sizeBytes, target.chunkSize, index);
        countReceivedBytes(sizeBytes);
        countStoredBytes(context, target.id, sizeBytes);
        arrivalsOf(context).chunkStored(target.id, index);
      }
      await times.ofDatabase(() => recordActivity(context, target));
      return index;
    }),
  );
}

export async function getOpenTarget({ db }: Context, scope: Scope, uploadId: string): Promise<ChunkTarget> {
  const target = await findChunkTarget(db, scope, uploadId);
  if (!target) throw new AppError('upload_not_found');
  if (target.state !== 'open') throw new AppError('upload_closed');
  return target;
}

function parseIndex(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}

/** An empty file may be sent as one empty chunk. */
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

export async function recordActivity({ db, clock }: Context, target: ChunkTarget): Promise<void> {
  const now = clock.now();
  // Absolute difference, because the clock may have been ahead.
  if (Math.abs(now - target.lastActivityAt) >= TOUCH_EVERY_MS) await touchUpload(db, target.id, now);
}

const DIGEST_BYTES = { crc32: 4, 'sha-256': 32 } as const;
const MEMBER = /^([a-z0-9*_.-]+)=:([a-z0-9+/]*={0,2}):$/i;

/**
 * Parses a Content-Digest header (RFC 9530), for example `crc32=:AAAAAA==:` (four bytes, big-endian) or `sha-256=:…:`.
 * Uses the first known algorithm. Throws AppError `bad_digest`.
 */
function parseContentDigest(header: string | undefined): ExpectedDigest | undefined {
  if (header === undefined) return undefined;
  for (const member of header.split(',')) {
    const [, name = '', base64 = ''] = MEMBER.exec(member.trim()) ?? [];
    const algorithm = name.toLowerCase();
    if (algorithm !== 'crc32' && algorithm !== 'sha-256') continue;
    const value = Buffer.from(base64, 'base64');
    if (value.length !== DIGEST_BYTES[algorithm]) break;
    return { algorithm, value };
  }
  throw new AppError('bad_digest');
}
