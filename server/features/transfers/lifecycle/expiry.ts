import { setImmediate } from 'node:timers/promises';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { repeatInBatches } from '../../../platform/db/queries/batches.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import {
  countTransfersAfter,
  listDeletingTransfers,
  listExpiredTransfers,
  updateIsExpired,
} from '../queries.ts';
import { enqueueRemoval, removeTransfer } from './deletion.ts';
import { recordTransferFates } from './fates.ts';

export const EXPIRY_GRACE_MS = RETENTION.expiredTransferDays * DAY_MS;
const BATCH = 200;

/**
 * A sweep removes at most one percent of all transfers, or ten: up to a quarter per day. Transfers live at least eight
 * days including the grace period, so regular expiry builds up no backlog, and operators have time to notice a wrong
 * clock.
 */
const MAX_SHARE = 0.01;
const ALWAYS_ALLOWED = 10;
const COUNT_SLICE = 10_000;

/** Use this to decide expiry; the column `isExpired` is only a cache. */
export function isExpired({ expiresAt }: { expiresAt: number | null }, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/**
 * Marks expired transfers and removes those whose grace period is over, but only while `ClockGuard` trusts the clock.
 * Also retries removals that failed for good, for example after days without storage.
 */
export async function sweepExpiredTransfers(context: Context): Promise<void> {
  const { db, clockGuard } = context;
  await resumeRemovals(db);
  const now = await clockGuard.findTrustedNow({ steadyMs: 0 });
  if (now === undefined) return;
  await markExpired(context, now);
  const steadyNow = await clockGuard.findTrustedNow();
  if (steadyNow !== undefined) await removeExpiredTransfers(context, steadyNow - EXPIRY_GRACE_MS);
}

/** Also unmarks transfers, because the clock may have been wrong. */
async function markExpired({ db, clock, log }: Context, now: number): Promise<void> {
  await repeatInBatches((limit) =>
    transaction(db, async (trx) => {
      const expired = await updateIsExpired(trx, { isExpired: 1, now, limit });
      await recordTransferFates({ db: trx, clock, log }, 'expired', expired);
      return expired.length;
    }),
  );
  await repeatInBatches(async (limit) => {
    const reopened = await transaction(db, (trx) => updateIsExpired(trx, { isExpired: 0, now, limit }));
    return reopened.length;
  });
}

async function resumeRemovals(db: Db): Promise<void> {
  const transfers = await listDeletingTransfers(db);
  if (transfers.length === 0) return;
  await transaction(db, async (trx) => {
    for (const { id, restorableUntil } of transfers) await enqueueRemoval(trx, id, restorableUntil ?? 0);
  });
}

async function removeExpiredTransfers(context: Context, expiredBefore: number): Promise<void> {
  const { db, log } = context;
  let left = await findRemovalLimit(db, expiredBefore);
  while (left > 0) {
    const ids = await listExpiredTransfers(db, { expiredBefore, limit: Math.min(BATCH, left) });
    for (const id of ids) {
      await transaction(db, (trx) =>
        removeTransfer({ ...context, db: trx }, id, { cause: 'expired-removed', expiredBefore }),
      );
      // SQLite blocks this thread, so let requests run in between.
      await setImmediate();
    }
    if (ids.length < Math.min(BATCH, left)) return;
    left -= ids.length;
  }
  const waiting = await listExpiredTransfers(db, { expiredBefore, limit: 1 });
  if (waiting.length > 0)
    log.warn('More transfers have expired than one sweep removes; the next sweep continues.');
}

/** Counts in slices because SQLite blocks this thread and there may be a million transfers. */
async function findRemovalLimit(db: Db, expiredBefore: number): Promise<number> {
  const firstFew = await listExpiredTransfers(db, { expiredBefore, limit: ALWAYS_ALLOWED + 1 });
  if (firstFew.length <= ALWAYS_ALLOWED) return ALWAYS_ALLOWED;
  let count = 0;
  for (let after = ''; ; ) {
    const slice = await countTransfersAfter(db, { after, limit: COUNT_SLICE });
    count += slice.count;
    if (slice.last === undefined || slice.count < COUNT_SLICE) break;
    after = slice.last;
    await setImmediate();
  }
  return Math.max(ALWAYS_ALLOWED, Math.floor(count * MAX_SHARE));
}
