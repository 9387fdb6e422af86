import type { Context } from '../../context.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import type { BlobStore } from '../../platform/storage/blob-store.ts';
import { gateKey } from './gate.ts';
import { placeOf } from './places.ts';
import { holdUploads } from './shared-gate.ts';

/** How many indexes a refusal names. */
const MISSING_NAMED = 1_000;

/**
 * Makes the bytes of whole uploads durable and runs `commit` with their CRC-32 while nobody can write a chunk
 * of theirs. Throws AppError `chunks_missing` (details: count, missing, uploadId); chunks that are just
 * arriving are then left alone.
 */
export async function sealUploads<T>(
  context: Pick<Context, 'blobs' | 'leases'>,
  uploads: UploadRow[],
  commit: (checksums: number[]) => Promise<T>,
): Promise<T> {
  const { blobs } = context;
  const hold = await holdUploads(context, uploads.map(gateKey));
  try {
    const busy = new Set(hold.busy);
    for (const upload of uploads) if (busy.has(gateKey(upload))) await requireAllChunks(blobs, upload);
    // Whatever still arrives for a whole upload is being sent again, and came too late.
    await hold.stopWriters();
    return await commit(await seal(blobs, uploads));
  } finally {
    await hold.release();
  }
}

async function seal(blobs: BlobStore, uploads: UploadRow[]): Promise<number[]> {
  try {
    const sealed = await blobs.seal(uploads.map(placeOf));
    return sealed.map(({ crc32 }) => crc32);
  } catch (error) {
    if (!isAppError(error, 'chunks_missing')) throw error;
    const { missing, position } = error.details as { missing: number[]; position: number };
    throw chunksMissing(uploads[position]!, missing);
  }
}

async function requireAllChunks(blobs: BlobStore, upload: UploadRow): Promise<void> {
  const received = new Set((await blobs.listChunks(placeOf(upload))).map(({ index }) => index));
  const indexes = Array.from({ length: upload.chunkCount }, (_, index) => index);
  const missing = indexes.filter((index) => !received.has(index));
  if (missing.length > 0) throw chunksMissing(upload, missing);
}

function chunksMissing({ id }: UploadRow, missing: number[]): AppError {
  return new AppError('chunks_missing', {
    details: { count: missing.length, missing: missing.slice(0, MISSING_NAMED), uploadId: id },
  });
}
