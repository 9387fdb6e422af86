import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { type FateContext, removeTransfer } from '../transfers/index.ts';
import { deleteUserRow, listDeletedUsers, listLivingTransfers } from './queries.ts';

/** Transfers marked in one transaction: while it lasts, everybody else waits for the database (about 30 ms). */
const BATCH = 100;

const LOOK_AGAIN_MS = MINUTE_MS;

/** What is left of a deleted account: its transfers, then its row. Harmless to repeat. */
const removeAccountJob = defineJob<Context, { userId: string }>({
  name: 'remove-account',
  payload: z.object({ userId: z.string() }),
  run: removeAccount,
});

/** A removal that was given up (the database was down for days) begins anew. */
const resumeAccountRemovals = defineJob<Context, object>({
  name: 'resume-account-removals',
  payload: z.object({}),
  every: HOUR_MS,
  async run({ db }) {
    const ids = await listDeletedUsers(db);
    for (const id of ids) await transaction(db, (trx) => enqueueAccountRemoval(trx, id));
  },
});

export const accountDeletionJobs = [removeAccountJob, resumeAccountRemovals];

/** Has the rest of an account removed that is marked as deleted. */
export function enqueueAccountRemoval(trx: Trx, userId: string, { runAt = 0 } = {}): Promise<void> {
  return enqueue(trx, removeAccountJob, { userId }, { uniqueKey: userId, runAt });
}

async function removeAccount(context: Context, { userId }: { userId: string }): Promise<void> {
  const { db, clock, wakeWorker } = context;
  const removeSome = () => transaction(db, (trx) => removeSomeTransfers({ ...context, db: trx }, userId));
  while ((await removeSome()) === BATCH) {
    wakeWorker();
    // On SQLite nothing above waits for the world outside: without this, requests would wait for all steps.
    await setImmediate();
  }
  wakeWorker();
  if (await transaction(db, (trx) => deleteUserRow(trx, userId))) return;
  // Bytes are still being removed: this very job looks again.
  const runAt = clock.now() + LOOK_AGAIN_MS;
  await transaction(db, (trx) => enqueueAccountRemoval(trx, userId, { runAt }));
}

/** Returns how many were there to be removed. */
export async function removeSomeTransfers(context: FateContext, userId: string): Promise<number> {
  const ids = await listLivingTransfers(context.db, userId, BATCH);
  for (const id of ids) await removeTransfer(context, id, { cause: 'account-deleted' });
  return ids.length;
}
