import { setImmediate } from 'node:timers/promises';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { z } from 'zod';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { DownloadsTable } from '../../../platform/db/schema/downloads.ts';
import type { Database } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { addressKey } from '../../../platform/http/limits/rate-limits.ts';
import { defineJob, type JobRun } from '../../../platform/jobs/define-job.ts';
import { keyedHash } from '../../../platform/lib/tokens.ts';
import { uncountDownload } from '../../analytics/index.ts';
import { addToFileCounts, lockTransfer, releasePlace } from './claim-queries.ts';
import { delayedClaimsOf } from './delayed-claims.ts';

/** An interrupted download can be resumed for this long before its place is returned. */
export const RESUME_TIME_MS = 10 * MINUTE_MS;

/** Returned places per transfer and recipient, or per address without a personal link. */
const MAX_RETURNS = 2;

const BATCH = 200;

/** For storage failures before the response headers; not limited, because nothing was delivered. */
export async function releaseFailedDownload(
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
 * Returns the places of interrupted downloads that delivered at most 64 KiB and no whole file and weren't resumed in
 * time; at most two per transfer and recipient or address. Deleting the download's row decides, so concurrent sweeps
 * return a place once, and never while the download runs. After a start or a clock jump the sweep waits until running
 * downloads have had time to record progress.
 */
export const sweepAbandonedDownloadsJob = defineJob<Context, object>({
  name: 'sweep-abandoned-downloads',
  payload: z.object({}),
  every: MINUTE_MS,
  run: (context, _payload, run) => sweepAbandonedDownloads(context, run),
});

async function sweepAbandonedDownloads(context: Context, { signal }: JobRun): Promise<void> {
  const now = await context.clockGuard.findTrustedNow({ steadyMs: RESUME_TIME_MS });
  if (now !== undefined) await releaseAbandoned(context, { signal });
}

type Abandoned = { transferId?: string; signal: AbortSignal };

/** Doesn't wait for a trusted clock. */
export async function releaseAbandoned(
  { db, clock, secret }: Pick<Context, 'db' | 'clock' | 'secret'>,
  { transferId, signal }: Abandoned,
): Promise<void> {
  const idleSince = clock.now() - RESUME_TIME_MS;
  for (;;) {
    const idle = await listIdleDownloads(db, { idleSince, transferId, limit: BATCH });
    for (const download of idle) {
      if (signal.aborted) return;
      await releaseIfReturnable({ db, secret }, download, { idleSince });
      // SQLite blocks this thread, so let requests run in between.
      await setImmediate();
    }
    if (idle.length < BATCH) return;
  }
}

/** Locks the transfer first, like claiming, to avoid deadlocks. */
function releaseIfReturnable(
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
    else await keepPlace(trx, downloadId, { idleSince });
  });
}

/** The recipient whose personal link was used, otherwise the address or its IPv6 network. */
function claimantKey(secret: string, { transferId, recipientId, ipAddress }: IdleDownload): string {
  const claimant = recipientId ?? (ipAddress === null ? '' : addressKey({ ip: ipAddress }));
  return keyedHash(secret, 'place-return', transferId, claimant);
}

async function uncount(trx: Trx, deleted: Selectable<DownloadsTable>): Promise<void> {
  await releasePlace(trx, deleted.transferId);
  await addToFileCounts(trx, deleted, -1);
  await uncountDownload(trx, deleted);
}

type Idle = { idleSince: number };

type IdleDownload = Pick<DownloadsTable, 'id' | 'transferId' | 'recipientId' | 'ipAddress'>;

async function listIdleDownloads(
  db: Db,
  { idleSince, transferId, limit }: Idle & { transferId: string | undefined; limit: number },
): Promise<IdleDownload[]> {
  return await db
    .selectFrom('downloads')
    .select(['id', 'transferId', 'recipientId', 'ipAddress'])
    .where('activeAt', '<=', idleSince)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .limit(limit)
    .execute();
}

async function deleteUnfinishedDownload(
  trx: Trx,
  downloadId: string,
): Promise<Selectable<DownloadsTable> | undefined> {
  return await trx
    .deleteFrom('downloads')
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

type Claimant = { transferId: string; claimantKey: string; maxReturns: number };

/** Also counts the return. The caller must have locked the transfer. */
async function deleteReturnableDownload(
  trx: Trx,
  { downloadId, idleSince, claimant }: Idle & { downloadId: string; claimant: Claimant },
): Promise<Selectable<DownloadsTable> | undefined> {
  const { transferId, claimantKey, maxReturns } = claimant;
  const deleted = await trx
    .deleteFrom('downloads')
    .where('id', '=', downloadId)
    .where('activeAt', '<=', idleSince)
    .where(isReturnable)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('placeReturns')
            .select('count')
            .where('placeReturns.transferId', '=', transferId)
            .where('claimantKey', '=', claimantKey)
            .where('count', '>=', maxReturns),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst();
  if (!deleted) return undefined;
  await trx
    .insertInto('placeReturns')
    .values({ transferId, claimantKey, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['transferId', 'claimantKey'])
        .doUpdateSet((eb) => ({ count: eb('placeReturns.count', '+', 1) })),
    )
    .execute();
  return deleted;
}

/** The download stays counted. Sweeps skip it until it resumes. */
async function keepPlace(trx: Trx, downloadId: string, { idleSince }: Idle): Promise<void> {
  await trx
    .updateTable('downloads')
    .set({ activeAt: null })
    .where('id', '=', downloadId)
    .where('activeAt', '<=', idleSince)
    .execute();
}

/** Downloads that run, or were interrupted since the last sweep and may be resumed. */
export async function hasActiveDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('activeAt', 'is not', null)
    .where('completedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function isReturnable(eb: ExpressionBuilder<Database, 'downloads'>) {
  return eb.and([eb('completedAt', 'is', null), eb('isReturnable', '=', 1)]);
}
