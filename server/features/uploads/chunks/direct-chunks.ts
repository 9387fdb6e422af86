import type { SignedChunk } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { Context } from '../../../context.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import type { ChunkNote } from '../../../platform/storage/blob-store.ts';
import { placeOf } from '../core/places.ts';
import type { Scope } from '../core/uploader.ts';
import { getOpenTarget, recordActivity } from './chunks.ts';
import { enterUpload } from './shared-gate.ts';
import { gateKey } from './upload-gate.ts';

type Target = { scope: Scope; uploadId: string };

export function canSendDirectly(
  { blobs }: Pick<Context, 'blobs'>,
  { chunkCount }: { chunkCount: number },
): boolean {
  return chunkCount > 1 && blobs.direct?.isOpen === true;
}

/** Throws AppError `upload_not_found`, `upload_closed`, `chunk_index_out_of_range`. */
export async function signChunks(
  context: Context,
  { scope, uploadId, parts }: Target & { parts: ChunkNote[] },
): Promise<SignedChunk[]> {
  const { blobs } = context;
  const target = await getOpenTarget(context, scope, uploadId);
  const place = placeOf(target);
  const signed: SignedChunk[] = [];
  for (const part of parts) {
    const address = await blobs.direct?.signChunk(place, part);
    if (address) signed.push({ ...address, index: part.index, expiresAt: toIso(address.expiresAt) });
  }
  await recordActivity(context, target);
  return signed;
}

/**
 * Asks the bucket for these chunks and records those it has as received. Runs as each chunk's only writer, so that the
 * upload cannot be completed or discarded meanwhile. Throws AppError `upload_not_found`, `upload_closed`,
 * `chunk_index_out_of_range`.
 */
export async function confirmChunks(
  context: Context,
  { scope, uploadId, indexes }: Target & { indexes: number[] },
): Promise<number[]> {
  const key = gateKey({ ...scope, id: uploadId });
  const distinct = [...new Set(indexes)];
  const confirmed: number[] = [];
  for (const index of distinct) {
    const arrived = await enterUpload(context, { key, index, sender: NEVER_STALLED }, async () => {
      const target = await getOpenTarget(context, scope, uploadId);
      const found = await context.blobs.direct?.confirmChunks(placeOf(target), [index]);
      await recordActivity(context, target);
      return found ?? [];
    });
    confirmed.push(...arrived);
  }
  return confirmed;
}

/** This process reads no bytes from the client, so the sender never counts as stalled. */
const NEVER_STALLED = { receivedBytes: () => performance.now(), abort: () => undefined };
