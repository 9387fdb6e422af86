import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { resetPasswordPath } from '../../../contracts/links.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey, takeTry } from '../../platform/http/rate-limits.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { enqueuePasswordResetMail } from './emails.ts';
import { forgetLoginTries } from './login-tries.ts';
import { replacePassword } from './password-changes.ts';
import {
  deletePasswordReset,
  deletePasswordResetsOf,
  insertPasswordReset,
  selectPasswordReset,
} from './password-reset-queries.ts';
import { hashPassword } from './passwords.ts';
import { deleteCodesOf, lockUser, lockUserByEmail } from './queries.ts';

const LINK_MINUTES = 60;
const REQUESTS_PER_HOUR = 30;

/** Looks for the account after the answer, so that the answer takes as long whether there is one or not. */
export const mailResetLinkJob = defineJob<Context, { emailKey: string }>({
  name: 'accounts.mail-reset-link',
  payload: z.object({ emailKey: z.string() }),
  run: mailResetLink,
});

/**
 * Asks for a link for a new password. The worker is not woken: it comes by within a second, when nobody can tell
 * by the next answer whether there was work. Throws AppError `too_many_requests` per network address.
 */
export async function requestPasswordReset(
  context: Context,
  email: string,
  request: FastifyRequest,
): Promise<void> {
  const key = `reset:address:${addressKey(request)}`;
  await takeTry(context, { key, limit: REQUESTS_PER_HOUR, windowMs: HOUR_MS });
  const emailKey = email.toLowerCase();
  await transaction(context.db, (trx) =>
    enqueue(trx, mailResetLinkJob, { emailKey }, { uniqueKey: hashToken(emailKey) }),
  );
}

async function mailResetLink(context: Context, { emailKey }: { emailKey: string }): Promise<void> {
  try {
    await transaction(context.db, (trx) => issueResetLink({ ...context, db: trx }, emailKey));
    context.wakeWorker();
  } catch (error) {
    // This mailbox has had enough; whoever asked is not told.
    if (!isAppError(error, 'too_many_requests')) throw error;
  }
}

/** A new link makes older ones void. Nothing for an address without an account. */
async function issueResetLink(
  context: Pick<Context, 'clock' | 'config'> & { db: Trx },
  emailKey: string,
): Promise<void> {
  const { db: trx, clock, config } = context;
  const user = await lockUserByEmail(trx, emailKey);
  if (!user) return;
  await takeTry(context, { key: `reset:minute:${emailKey}`, limit: 1, windowMs: MINUTE_MS });
  await takeTry(context, { key: `reset:hour:${emailKey}`, limit: 5, windowMs: HOUR_MS });
  await takeTry(context, { key: `reset:day:${emailKey}`, limit: 10, windowMs: DAY_MS });
  const now = clock.now();
  const token = randomId();
  await deletePasswordResetsOf(trx, user.id);
  await insertPasswordReset(trx, {
    id: randomId(),
    userId: user.id,
    tokenHash: hashToken(token),
    expiresAt: now + LINK_MINUTES * MINUTE_MS,
    createdAt: now,
  });
  const url = config.publicUrl + resetPasswordPath(token);
  await enqueuePasswordResetMail(trx, user, { url, minutes: LINK_MINUTES, createdAt: now });
}

/**
 * Sets a new password by the token of the mailed link. The mail has proved the address, so it is verified; all
 * sessions end. Of parallel calls with one token one wins. Throws AppError `link_void` (unknown, old, used).
 */
export async function confirmPasswordReset(
  context: Context,
  { token, password }: { token: string; password: string },
  request: FastifyRequest,
): Promise<void> {
  const now = context.clock.now();
  const reset = await selectPasswordReset(context.db, hashToken(token), now);
  if (!reset) throw new AppError('link_void');
  request.accountId = reset.userId;
  const passwordHash = await hashPassword(password);
  await transaction(context.db, async (trx) => {
    const user = await lockUser(trx, reset.userId);
    if (!user || !(await deletePasswordReset(trx, reset.id))) throw new AppError('link_void');
    await replacePassword({ ...context, db: trx }, user, { passwordHash, emailVerified: 1 });
    await deleteCodesOf(trx, user.id);
    const names = [user.usernameKey, user.emailKey];
    await forgetLoginTries({ ...context, db: trx }, names, addressKey(request));
  });
  context.wakeWorker();
}
