import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { DownloadsTable } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { keyedHash } from '../../platform/lib/tokens.ts';
import { uncountDownload } from '../analytics/index.ts';
import { addToFileCounts, lockTransfer, returnPlace } from './claim-queries.ts';
import { delayedClaimsOf } from './delayed-claims.ts';
import {
  deleteReturnableDownload,
  deleteUnfinishedDownload,
  type IdleDownload,
  listIdleDownloads,
  settleIdleDownload,
} from './giving-back-queries.ts';

/** A download that broke off keeps its place for so long, so that it can be resumed. */
export const RESUME_TIME_MS = 10 * MINUTE_MS;

/** Places of one transfer that one recipient, or one address without a personal link, is given back. */
const MAX_RETURNS = 2;

const BATCH = 200;

/**
 * Takes a claim back when the storage failed before the head of the answer was sent. Nothing was delivered and the
 * client is not to blame, so this is not limited.
 */
export async function giveBackFailed(
  { db }: Pick<Context, 'db'>,
  { id: downloadId, transferId }: Pick<IdleDownload, 'id' | 'transferId'>,
): Promise<void> {
  if (delayedClaimsOf(db).remove(downloadId)) return;
  await transaction(db, async (trx) => {
    if (!(await lockTransfer(trx, transferId))) return;
    const deleted = await deleteUnfinishedDownload(trx, downloadId);
    if (deleted) await uncount(trx, deleted);
  });
}

/**
 * Gives back the places of downloads that broke off when at most 64 KiB and no whole file were delivered, and that
 * were not resumed in time; at most two per transfer and recipient or address. Each is decided by deleting the
 * download's own row, so it happens once however many sweeps run, and never while the download runs. After a start or
 * a jump of the clock it waits until running downloads have had time to show that they run.
 */
export async function sweepAbandonedDownloads(context: Context, { signal }: JobRun): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: RESUME_TIME_MS });
  if (now !== undefined) await giveBackAbandoned(context, { signal });
}

type Abandoned = { transferId?: string; signal: AbortSignal };

/** The same, whether the clock is trusted or not; of one transfer, if asked. */
export async function giveBackAbandoned(
  { db, clock, secret }: Pick<Context, 'db' | 'clock' | 'secret'>,
  { transferId, signal }: Abandoned,
): Promise<void> {
  const idleSince = clock.now() - RESUME_TIME_MS;
  for (;;) {
    const idle = await listIdleDownloads(db, { idleSince, transferId, limit: BATCH });
    for (const download of idle) {
      if (signal.aborted) return;
      await giveBack({ db, secret }, download, { idleSince });
      // SQLite works in this very thread: requests get their turn between two of them.
      await setImmediate();
    }
    if (idle.length < BATCH) return;
  }
}

/** Locks the transfer first, as claiming does, so that the two cannot deadlock. */
function giveBack(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  download: IdleDownload,
  { idleSince }: { idleSince: number },
): Promise<void> {
  const { id: downloadId, transferId } = download;
  const claimant = { transferId, claimantKey: claimantKey(secret, download), maxReturns: MAX_RETURNS };
  return transaction(db, async (trx) => {
    const isThere = await lockTransfer(trx, transferId);
    const deleted = isThere
      ? await deleteReturnableDownload(trx, { downloadId, idleSince, claimant })
      : undefined;
    if (deleted) await uncount(trx, deleted);
    else await settleIdleDownload(trx, downloadId, { idleSince });
  });
}

/** The recipient by whose personal link it came, else the address or its IPv6 network. */
function claimantKey(secret: string, { transferId, recipientId, ipAddress }: IdleDownload): string {
  const claimant = recipientId ?? (ipAddress === null ? '' : addressKey({ ip: ipAddress }));
  return keyedHash(secret, 'place-return', transferId, claimant);
}

async function uncount(trx: Trx, deleted: Selectable<DownloadsTable>): Promise<void> {
  await returnPlace(trx, deleted.transferId);
  await addToFileCounts(trx, deleted, -1);
  await uncountDownload(trx, deleted);
}
