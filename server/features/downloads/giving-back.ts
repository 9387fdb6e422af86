import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { uncountDownload } from '../analytics/counting.ts';
import { addToFileCounts, lockTransfer, returnPlace } from './claim-queries.ts';
import { delayedClaimsOf } from './delayed-claims.ts';
import {
  deleteDownload,
  type IdleDownload,
  listIdleDownloads,
  settleIdleDownload,
} from './giving-back-queries.ts';

/** How long a download that broke off may take to be gone on with before its place is given back. */
export const RESUME_TIME_MS = 10 * MINUTE_MS;

const BATCH = 200;

/** Takes a claim back when the storage failed before the head of the answer was sent. */
export async function giveBackDownload({ db }: Pick<Context, 'db'>, download: IdleDownload): Promise<void> {
  if (!delayedClaimsOf(db).remove(download.id)) await giveBack({ db }, download, {});
}

/**
 * Gives back the places of downloads that broke off before half was delivered and were not gone on with
 * (decisions, "Downloads"). It is decided by the download's own row, which goes with its place: once however
 * often it is tried, and never while the download goes on. After a start or a jump of the clock it waits until
 * running downloads have had time to show that they run.
 */
export async function sweepAbandonedDownloads(context: Context, { signal }: JobRun): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: RESUME_TIME_MS });
  if (now !== undefined) await giveBackAbandoned(context, { signal });
}

type Abandoned = { transferId?: string; signal: AbortSignal };

/** The same, whether the clock is trusted or not; of one transfer, if asked. */
export async function giveBackAbandoned(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { transferId, signal }: Abandoned,
): Promise<void> {
  const idleSince = clock.now() - RESUME_TIME_MS;
  for (;;) {
    const idle = await listIdleDownloads(db, { idleSince, transferId, limit: BATCH });
    for (const download of idle) {
      if (signal.aborted) return;
      await giveBack({ db }, download, { idleSince });
      // SQLite works in this very thread: requests get their turn between two of them.
      await setImmediate();
    }
    if (idle.length < BATCH) return;
  }
}

/** Takes the transfer first, as claiming does, so that the two cannot wait for each other. */
function giveBack(
  { db }: Pick<Context, 'db'>,
  { id: downloadId, transferId }: IdleDownload,
  { idleSince }: { idleSince?: number },
): Promise<void> {
  return transaction(db, async (trx) => {
    const isThere = await lockTransfer(trx, transferId);
    const given = isThere ? await deleteDownload(trx, { downloadId, idleSince }) : undefined;
    if (given) {
      await returnPlace(trx, transferId);
      await addToFileCounts(trx, given, -1);
      await uncountDownload(trx, given);
    } else if (idleSince !== undefined) {
      await settleIdleDownload(trx, downloadId, { idleSince });
    }
  });
}
