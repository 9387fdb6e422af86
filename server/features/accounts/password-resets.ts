import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { resetPasswordPath } from '../../../contracts/values/links.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeAddressTries, takeTry } from '../../platform/http/rate-limits.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { enqueuePasswordResetMail } from './emails.ts';
import { deletePasswordResetsOf, insertPasswordReset } from './password-reset-queries.ts';
import { lockUserByEmail } from './queries.ts';

const LINK_MINUTES = 60;
const REQUESTS_PER_HOUR = 30;

/** Finds the account after the response, so that the response takes equally long with and without an account. */
export const mailResetLinkJob = defineJob<Context, { emailKey: string }>({
  name: 'accounts.mail-reset-link',
  payload: z.object({ emailKey: z.string() }),
  run: mailRequestedLink,
});

/**
 * Requests a link for a new password. The job waits for the next poll: the time of the next response must not
 * reveal whether there was work. Throws AppError `too_many_requests` per network address.
 */
export async function requestPasswordReset(
  context: Context,
  email: string,
  request: FastifyRequest,
): Promise<void> {
  await takeAddressTries(context, request, {
    key: 'reset:address',
    limit: REQUESTS_PER_HOUR,
    windowMs: HOUR_MS,
  });
  const emailKey = email.toLowerCase();
  await transaction(context.db, (trx) =>
    enqueue(trx, mailResetLinkJob, { emailKey }, { uniqueKey: hashToken(emailKey), waitsForPoll: true }),
  );
}

async function mailRequestedLink(context: Context, { emailKey }: { emailKey: string }): Promise<void> {
  try {
    await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      const user = await lockUserByEmail(trx, emailKey);
      if (!user) return;
      await takeTry(deps, { key: `reset:minute:${emailKey}`, limit: 1, windowMs: MINUTE_MS });
      await takeTry(deps, { key: `reset:hour:${emailKey}`, limit: 5, windowMs: HOUR_MS });
      await takeTry(deps, { key: `reset:day:${emailKey}`, limit: 10, windowMs: DAY_MS });
      await mailResetLink(deps, user);
    });
  } catch (error) {
    // This mailbox got enough links. The caller must not learn that it exists.
    if (!isAppError(error, 'too_many_requests')) throw error;
  }
}

/** Mails a link for a new password to a user whose row the transaction holds; older links become void. */
export async function mailResetLink(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  user: UserRow,
): Promise<void> {
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
