import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { type FateContext, removeTransfer } from '../transfers/index.ts';
import { deleteUserRow, listDeletedUsers, listRemainingTransfers } from './queries.ts';

/** Transfers marked per transaction. A batch blocks other writers for about 30 ms. */
const BATCH = 100;

const RETRY_MS = MINUTE_MS;

const removeAccountJob = defineJob<Context, { userId: string }>({
  name: 'remove-account',
  payload: z.object({ userId: z.string() }),
  run: removeAccount,
});

/** Enqueues removals again whose job used up its retries, for example during a long outage of the database. */
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

export function enqueueAccountRemoval(trx: Trx, userId: string, { runAt = 0 } = {}): Promise<void> {
  return enqueue(trx, removeAccountJob, { userId }, { uniqueKey: userId, runAt });
}

async function removeAccount(context: Context, { userId }: { userId: string }): Promise<void> {
  const { db, clock } = context;
  const removeSome = () => transaction(db, (trx) => removeTransferBatch({ ...context, db: trx }, userId));
  while ((await removeSome()) === BATCH) {
    // SQLite never yields to the event loop, so let other requests run between batches.
    await setImmediate();
  }
  if (await transaction(db, (trx) => deleteUserRow(trx, userId))) return;
  const runAt = clock.now() + RETRY_MS;
  await transaction(db, (trx) => enqueueAccountRemoval(trx, userId, { runAt }));
}

export async function removeTransferBatch(context: FateContext, userId: string): Promise<number> {
  const ids = await listRemainingTransfers(context.db, userId, BATCH);
  for (const id of ids) await removeTransfer(context, id, { cause: 'account-deleted' });
  return ids.length;
}
