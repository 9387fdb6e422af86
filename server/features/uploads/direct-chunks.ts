import type { SignedChunk } from '../../../contracts/transfers/uploads.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso } from '../../platform/lib/clock.ts';
import type { ChunkNote } from '../../platform/storage/blob-store.ts';
import { noteActivity } from './chunks.ts';
import { gateKey } from './gate.ts';
import { placeOf } from './places.ts';
import { type ChunkTarget, findChunkTarget } from './queries.ts';
import { enterUpload } from './shared-gate.ts';
import type { Scope } from './uploader.ts';

type Target = { scope: Scope; uploadId: string };

/** Whether chunks of such a file may go straight to the bucket, as far as one look can say. */
export function mayGoDirect(
  { blobs }: Pick<Context, 'blobs'>,
  { chunkCount }: { chunkCount: number },
): boolean {
  return chunkCount > 1 && blobs.direct?.isOpen === true;
}

/**
 * Addresses for those of the chunks that may go straight to the bucket. Throws AppError `upload_not_found`,
 * `upload_closed`, `chunk_index_out_of_range`.
 */
export async function signChunks(
  context: Context,
  { scope, uploadId, parts }: Target & { parts: ChunkNote[] },
): Promise<SignedChunk[]> {
  const { blobs } = context;
  const target = await findOpenTarget(context, scope, uploadId);
  const place = placeOf(target);
  const signed: SignedChunk[] = [];
  for (const part of parts) {
    const address = await blobs.direct?.signChunk(place, part);
    if (address) signed.push({ ...address, index: part.index, expiresAt: toIso(address.expiresAt) });
  }
  await noteActivity(context, target);
  return signed;
}

/**
 * Asks the bucket which of the chunks it has; they count as received from then on. As the only writer of each,
 * so that nobody completes or discards the upload meanwhile. Throws AppError `upload_not_found`,
 * `upload_closed`, `chunk_index_out_of_range`.
 */
export async function confirmChunks(
  context: Context,
  { scope, uploadId, indexes }: Target & { indexes: number[] },
): Promise<number[]> {
  const key = gateKey({ ...scope, id: uploadId });
  const asked = [...new Set(indexes)];
  const confirmed: number[] = [];
  for (const index of asked) {
    const arrived = await enterUpload(context, { key, index, sender: PATIENT }, async () => {
      const target = await findOpenTarget(context, scope, uploadId);
      const found = await context.blobs.direct?.confirmChunks(placeOf(target), [index]);
      await noteActivity(context, target);
      return found ?? [];
    });
    confirmed.push(...arrived);
  }
  return confirmed;
}

/** Nothing is read from a sender here, and nothing is to be broken off: the bucket answers or does not. */
const PATIENT = { receivedBytes: () => performance.now(), abort: () => undefined };

async function findOpenTarget({ db }: Context, scope: Scope, uploadId: string): Promise<ChunkTarget> {
  const target = await findChunkTarget(db, scope, uploadId);
  if (!target) throw new AppError('upload_not_found');
  if (target.state !== 'open') throw new AppError('upload_closed');
  return target;
}
