import { z } from 'zod';
import type { Trx } from '../db/open.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { defineJob, type Job } from './define-job.ts';
import { enqueue } from './queue.ts';

type RemovalJob = Job<{ blobs: BlobStore }, { storageKey: string }>;

/** Defines a job that deletes a blob by its storage key. Its name is stored in rows, so it must never change. */
export function defineBlobRemoval(name: string): RemovalJob {
  return defineJob({
    name,
    payload: z.object({ storageKey: z.string() }),
    removesBytes: true,
    run: ({ blobs }, { storageKey }) => blobs.remove(storageKey),
  });
}

/**
 * Enqueues the removal of a blob in the transaction after which no row names its key. Does nothing without a key.
 */
export async function enqueueBlobRemoval(
  trx: Trx,
  job: RemovalJob,
  storageKey: string | null,
): Promise<void> {
  if (storageKey === null) return;
  await enqueue(trx, job, { storageKey }, { uniqueKey: storageKey });
}
