import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { Pace } from './pace.ts';
import { listUncheckedFiles, listUncheckedTransfers, type VerifiedFile } from './queries.ts';
import { BLOCK_BYTES, readSums } from './read-sums.ts';
import { type Reading, recordReadings } from './verdicts.ts';

const FILES_PER_COMMIT = 100;
const BYTES_PER_COMMIT = 256 * 1024 * 1024;
const TRANSFERS_PER_RUN = 100;

/** Reads each new file once, in the background. Progress is saved in the files' rows. */
export const checkFilesJob = defineJob<Context, { transferId: string }>({
  name: 'check-files',
  payload: z.object({ transferId: z.string() }),
  oneAtATime: true,
  run: checkFiles,
});

export function enqueueCheck(trx: Trx, transferId: string, runAt = 0): Promise<void> {
  return enqueue(trx, checkFilesJob, { transferId }, { uniqueKey: transferId, runAt });
}

/** Covers files uploaded before checksums existed, and those whose check failed for good. */
export async function enqueueForgottenChecks({ db }: Context): Promise<void> {
  const ids = await listUncheckedTransfers(db, TRANSFERS_PER_RUN);
  if (ids.length === 0) return;
  await transaction(db, async (trx) => {
    for (const id of ids) await enqueueCheck(trx, id);
  });
}

type CheckOptions = { block: Buffer; pace: Pace; signal: AbortSignal };

async function checkFiles(
  context: Context,
  { transferId }: { transferId: string },
  { signal }: JobRun,
): Promise<void> {
  const checking = { block: Buffer.allocUnsafeSlow(BLOCK_BYTES), pace: new Pace(), signal };
  for (;;) {
    const files = await listUncheckedFiles(context.db, transferId, FILES_PER_COMMIT);
    if (files.length === 0) return;
    for (let next = 0; next < files.length; ) next += await checkBatch(context, files.slice(next), checking);
  }
}

/** Reads one batch of files. Records the results even when aborted. */
async function checkBatch(context: Context, files: VerifiedFile[], checking: CheckOptions): Promise<number> {
  const readings: Reading[] = [];
  let bytes = 0;
  try {
    for (const file of files) {
      readings.push({ file, sums: await readSums(context.blobs, file, checking) });
      bytes += file.sizeBytes;
      if (bytes >= BYTES_PER_COMMIT) break;
    }
  } finally {
    await recordReadings(context, readings);
  }
  return readings.length;
}
