import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { closeAccount, closeAnyAccount, requireCurrentPassword } from '../accounts/index.ts';
import { removeKeysOf } from '../api-keys/index.ts';
import { enqueueBackgroundRemoval } from '../backgrounds/index.ts';
import { endSubscriptionsOf } from '../billing/index.ts';
import { removeInvitationsOf } from '../invitations/index.ts';
import { type FateContext, removeTransfer } from '../transfers/index.ts';
import { deleteWebhooksOf } from '../webhooks/index.ts';
import { enqueueAccountDeletedMail } from './emails.ts';
import { deleteUserRow, listLivingTransfers } from './queries.ts';

/** Transfers marked in one transaction: while it lasts, everybody else waits for the database (about 30 ms). */
const BATCH = 100;
const LOOK_AGAIN_MS = MINUTE_MS;
const FIELD = 'password';

/** What is left of a deleted account: its transfers, then its row. Harmless to repeat. */
export const removeAccountJob = defineJob<Context, { userId: string }>({
  name: 'remove-account',
  payload: z.object({ userId: z.string() }),
  run: removeAccount,
});

/**
 * Deletes an account: from this commit on nobody is signed in to it, and its name and address are free. Its first
 * transfers go with it, unfinished ones before others, so that no running upload becomes a transfer (race 15);
 * what it pays for, further transfers and the row are ended by jobs. Invitations close with it. Throws AppError
 * `wrong_current_password`, `too_many_requests`, `last_admin`.
 */
export async function deleteAccount(context: Context, user: UserRow, password: string): Promise<void> {
  await requireCurrentPassword(context, user, { password, field: FIELD });
  await transaction(context.db, async (trx) => {
    const closed = await closeAccount({ ...context, db: trx }, { user, field: FIELD });
    await removeBelongings({ ...context, db: trx }, closed);
  });
}

/**
 * As `deleteAccount`, by an administrator: without the password, and in their transaction. Returns the user as they were. Throws AppError `user_not_found`, `last_admin`.
 */
export async function deleteAnyAccount(context: FateContext, userId: string): Promise<UserRow> {
  const closed = await closeAnyAccount(context, userId);
  await removeBelongings(context, closed);
  return closed;
}

async function removeBelongings(context: FateContext, closed: UserRow): Promise<void> {
  const { db: trx, clock } = context;
  await removeKeysOf(trx, closed.id);
  await enqueueBackgroundRemoval(trx, closed.backgroundStorageKey);
  await endSubscriptionsOf(trx, closed.id);
  await removeInvitationsOf(context, closed.id);
  await deleteWebhooksOf(trx, closed.id);
  await removeSomeTransfers(context, closed.id);
  await enqueueAccountDeletedMail(trx, { email: closed.email, createdAt: clock.now() });
  await enqueueAccountRemoval(trx, closed.id);
}

/** Has the rest of an account removed that is marked as deleted. */
export function enqueueAccountRemoval(trx: Trx, userId: string, { runAt = 0 } = {}): Promise<void> {
  return enqueue(trx, removeAccountJob, { userId }, { uniqueKey: userId, runAt });
}

async function removeAccount(context: Context, { userId }: { userId: string }): Promise<void> {
  const { db, clock } = context;
  const removeSome = () => transaction(db, (trx) => removeSomeTransfers({ ...context, db: trx }, userId));
  while ((await removeSome()) === BATCH) {
    // On SQLite nothing above waits for the world outside: without this, requests would wait for all steps.
    await setImmediate();
  }
  if (await transaction(db, (trx) => deleteUserRow(trx, userId))) return;
  // Bytes are still being removed: this very job looks again.
  const runAt = clock.now() + LOOK_AGAIN_MS;
  await transaction(db, (trx) => enqueueAccountRemoval(trx, userId, { runAt }));
}

/** Returns how many were there to be removed. */
async function removeSomeTransfers(context: FateContext, userId: string): Promise<number> {
  const ids = await listLivingTransfers(context.db, userId, BATCH);
  for (const id of ids) await removeTransfer(context, id, { cause: 'account-deleted' });
  return ids.length;
}
