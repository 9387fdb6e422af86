import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeLook } from '../../platform/jobs/sweep-look.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { enqueueRemoval, removeTransfer } from './deletion.ts';
import { listDeletingTransfers, listExpiredTransfers, markExpiredTransfers } from './queries.ts';

/** An expired transfer keeps its data this long, so that an administrator can still extend it. */
export const EXPIRY_GRACE_MS = 7 * DAY_MS;
const BATCH = 200;

/** Whether its time is over. The column `isExpired` is only a cache of this; `now` decides. */
export function isExpired({ expiresAt }: { expiresAt: number | null }, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/**
 * Notes which transfers have expired and removes those whose grace is over. After the clock leapt (or the
 * server was off for long) this look removes nothing: only the next one, a sweep later, believes it.
 * A removal that was given up (the storage was down for days) begins anew.
 */
export async function sweepExpiredTransfers(context: Context): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  await markExpiredTransfers(db, now);
  const isBelievable = await takeLook(context, 'expiry');
  await resumeRemovals(db);
  if (!isBelievable) return;
  await removeExpiredTransfers(context, now - EXPIRY_GRACE_MS);
}

async function resumeRemovals(db: Db): Promise<void> {
  const ids = await listDeletingTransfers(db);
  if (ids.length === 0) return;
  await transaction(db, async (trx) => {
    for (const id of ids) await enqueueRemoval(trx, id);
  });
}

async function removeExpiredTransfers({ db, wakeWorker }: Context, expiredBefore: number): Promise<void> {
  for (;;) {
    const ids = await listExpiredTransfers(db, { expiredBefore, limit: BATCH });
    for (const id of ids) {
      await transaction(db, (trx) => removeTransfer(trx, id, { expiredBefore }));
      // SQLite works in this very thread: requests get their turn between two of them.
      await setImmediate();
    }
    if (ids.length > 0) wakeWorker();
    if (ids.length < BATCH) return;
  }
}
