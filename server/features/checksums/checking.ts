import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { Pace } from './pace.ts';
import { listUncheckedFiles, listUncheckedTransfers, type UncheckedFile, updateVerdict } from './queries.ts';
import { BLOCK_BYTES, readSums } from './read-sums.ts';

/** Files whose verdicts are one commit, unless their bytes alone are worth one. */
const FILES_PER_COMMIT = 100;
const BYTES_PER_COMMIT = 256 * 1024 * 1024;
/** Transfers of the time before there were checksums, or whose check was given up, that one look takes on. */
const TRANSFERS_PER_LOOK = 100;

/**
 * Reads every stored file of a transfer once, in the background: computes its SHA-256 and at the same time
 * proves the bytes against the CRC-32 noted when they arrived. The files' rows are its progress.
 */
export const checkFilesJob = defineJob<Context, { transferId: string }>({
  name: 'check-files',
  payload: z.object({ transferId: z.string() }),
  oneAtATime: true,
  run: checkFiles,
});

/** Has the new files of a ready transfer checked; the caller wakes the worker after its transaction. */
export function enqueueCheck(trx: Trx, transferId: string): Promise<void> {
  return enqueue(trx, checkFilesJob, { transferId }, { uniqueKey: transferId });
}

/** Takes on what no job is about, a little at a time. */
export async function enqueueForgottenChecks({ db, wakeWorker }: Context): Promise<void> {
  const ids = await listUncheckedTransfers(db, TRANSFERS_PER_LOOK);
  if (ids.length === 0) return;
  await transaction(db, async (trx) => {
    for (const id of ids) await enqueueCheck(trx, id);
  });
  wakeWorker();
}

type Checking = { block: Buffer; pace: Pace; signal: AbortSignal };

async function checkFiles(
  context: Context,
  { transferId }: { transferId: string },
  { signal }: JobRun,
): Promise<void> {
  const checking = { block: Buffer.allocUnsafeSlow(BLOCK_BYTES), pace: new Pace(), signal };
  for (;;) {
    const files = await listUncheckedFiles(context.db, transferId, FILES_PER_COMMIT);
    if (files.length === 0) return;
    for (let next = 0; next < files.length; ) next += await checkSome(context, files.slice(next), checking);
  }
}

type Verdict = { file: UncheckedFile; sha256: string | null };

/** Checks files until they are worth a commit; what was found is noted also when it is broken off. */
async function checkSome(context: Context, files: UncheckedFile[], checking: Checking): Promise<number> {
  const verdicts: Verdict[] = [];
  let bytes = 0;
  try {
    for (const file of files) {
      const sums = await readSums(context.blobs, file, checking);
      verdicts.push({ file, sha256: sums?.crc32 === file.crc32 ? sums.sha256 : null });
      bytes += file.sizeBytes;
      if (bytes >= BYTES_PER_COMMIT) break;
    }
  } finally {
    await noteVerdicts(context, verdicts);
  }
  return verdicts.length;
}

async function noteVerdicts({ db, clock, log }: Context, verdicts: Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  const now = clock.now();
  const damaged = await transaction(db, async (trx) => {
    const found: UncheckedFile[] = [];
    for (const { file, sha256 } of verdicts) {
      const isDamaged = sha256 === null;
      const verdict = { id: file.id, sha256, checkedAt: now, damagedAt: isDamaged ? now : null };
      if ((await updateVerdict(trx, verdict)) && isDamaged) found.push(file);
    }
    return found;
  });
  for (const { id, storageKey } of damaged) {
    log.error({ fileId: id, storageKey }, 'The stored bytes of a file are not those that were sent.');
  }
}
