import type { Readable } from 'node:stream';
import { chunkLength } from '../../../../contracts/plans/limits.ts';
import type { Context } from '../../../context.ts';
import { BodySlices } from '../../../platform/http/bodies/body-slices.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { BlobStore, ChunkHead, Place } from '../../../platform/storage/blob-store.ts';
import { arrivalsOf } from '../arriving/arrivals.ts';
import { countStoredBytes } from '../core/disk-reservations.ts';
import { placeOf } from '../core/places.ts';
import type { Scope } from '../core/uploader.ts';
import { ChunkTimes } from './chunk-times.ts';
import { getOpenTarget, recordActivity } from './chunks.ts';
import { countReceivedBytes } from './garbage-collection.ts';
import { type ChunkClaim, enterUpload } from './shared-gate.ts';
import { gateKey, type Sender, uploadGate } from './upload-gate.ts';

/** May span several chunks. */
export type IncomingBytes = {
  scope: Scope;
  upload: Place & { id: string };
  offset: number;
  stream: Readable;
  declaredBytes: number | undefined;
  receivedBytes: Sender['receivedBytes'];
};

/**
 * Appends bytes to a file and keeps those that arrived if the stream breaks. Returns the new offset; the bytes before
 * it survive kill -9. Leaves the rest of the stream unread. Throws AppError `upload_not_found`, `upload_closed`,
 * `upload_offset_conflict`, `chunk_too_long` (more bytes than the file has; the last chunk is then not stored),
 * `storage_full`.
 */
export async function storeBytes(context: Context, incoming: IncomingBytes): Promise<number> {
  const slices = new BodySlices(incoming.stream);
  const { key, sender } = entryOf(incoming);
  try {
    return await uploadGate.runSequence(key, sender, () => storeChunkByChunk(context, incoming, slices));
  } finally {
    slices.release();
  }
}

async function storeChunkByChunk(
  context: Context,
  incoming: IncomingBytes,
  slices: BodySlices,
): Promise<number> {
  const { upload, declaredBytes = upload.sizeBytes } = incoming;
  const end = Math.min(incoming.offset + declaredBytes, upload.sizeBytes);
  let { offset } = incoming;
  for (let wanted = offset; offset === wanted && offset < end; ) {
    const index = Math.floor(offset / upload.chunkSize);
    wanted = Math.min((index + 1) * upload.chunkSize, upload.sizeBytes);
    offset = await storeInChunk(context, { incoming, slices, index, offset });
  }
  return offset;
}

function entryOf({ scope, upload, stream, receivedBytes }: IncomingBytes): { key: string; sender: Sender } {
  const abort = () => void stream.destroy();
  return { key: gateKey({ ...scope, id: upload.id }), sender: { receivedBytes, abort } };
}

export async function findOffset(blobs: BlobStore, place: Place): Promise<number> {
  if (place.chunkCount === 0) return 0;
  await blobs.prepare(place);
  const chunks = await blobs.listChunks(place);
  const gap = chunks.findIndex((chunk, position) => chunk.index !== position);
  const index = gap < 0 ? chunks.length : gap;
  if (index === place.chunkCount) return place.sizeBytes;
  return index * place.chunkSize + (await blobs.findHead(place, index)).sizeBytes;
}

type Step = { incoming: IncomingBytes; slices: BodySlices; index: number; offset: number };

/** Reads the upload inside the gate, where nothing else can change it. */
async function storeInChunk(context: Context, { incoming, slices, index, offset }: Step): Promise<number> {
  const times = new ChunkTimes(context, { uploadId: incoming.upload.id, index });
  return times.run(() =>
    enterUpload(context, { ...entryOf(incoming), index }, async (claim) => {
      times.enter();
      const target = await times.ofDatabase(() => getOpenTarget(context, incoming.scope, incoming.upload.id));
      const place = placeOf(target);
      const { head, grown } = await times.ofStorage((waited) =>
        growChunk(context.blobs, { place, incoming, slices, index, offset, waited, claim }),
      );
      const addedBytes = grown.sizeBytes - head.sizeBytes;
      countReceivedBytes(addedBytes);
      countStoredBytes(context, target.id, addedBytes);
      arrivalsOf(context).chunkStored(target.id, index);
      if (addedBytes > 0) await times.ofDatabase(() => recordActivity(context, target));
      return index * place.chunkSize + grown.sizeBytes;
    }),
  );
}

type Growth = Step & { place: Place; claim: ChunkClaim; waited: { forBytesMs: number } };

async function growChunk(
  blobs: BlobStore,
  { place, incoming, slices, index, offset, waited, claim }: Growth,
): Promise<{ head: ChunkHead; grown: ChunkHead }> {
  await blobs.prepare(place);
  const start = index * place.chunkSize;
  const head = await blobs.findHead(place, index);
  const found = offset === incoming.offset ? await findOffset(blobs, place) : start + head.sizeBytes;
  if (found !== offset) throw new AppError('upload_offset_conflict', { details: { offset: found } });
  const room = chunkLength(place.sizeBytes, place.chunkSize, index) - head.sizeBytes;
  // Request one byte more than the last chunk has room for, so that a sender of too many bytes is refused.
  const next = slices.next(index === place.chunkCount - 1 ? room + 1 : room);
  return { head, grown: await blobs.growChunk(place, { index, head, stream: next, waited, ...claim }) };
}
