import { z } from 'zod';
import type { Trx } from '../db/open.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { defineJob, type Job } from './define-job.ts';
import { enqueue } from './queue.ts';

type RemovalJob = Job<{ blobs: BlobStore }, { storageKey: string }>;

/** The name is stored in rows, so it must never change. */
export function defineBlobRemoval(name: string): RemovalJob {
  return defineJob({
    name,
    payload: z.object({ storageKey: z.string() }),
    removesBytes: true,
    run: ({ blobs }, { storageKey }) => blobs.remove(storageKey),
  });
}

/** Call in the transaction after which no row names the key. Does nothing without a key. */
export async function enqueueBlobRemoval(
  trx: Trx,
  job: RemovalJob,
  storageKey: string | null,
): Promise<void> {
  if (storageKey === null) return;
  await enqueue(trx, job, { storageKey }, { uniqueKey: storageKey });
}
