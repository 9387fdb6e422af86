import type { FastifyRequest } from 'fastify';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { verifyEmailLink } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { requireAddressWithinLimits, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { equalInConstantTime, keyedHash, randomCode, randomId } from '../../../platform/lib/tokens.ts';
import { mailboxKey } from '../../../platform/mail/mailbox-key.ts';
import { enqueueCodeMail } from '../emails.ts';
import { recordAccountEvent } from '../events/events.ts';
import {
  countCodeTry,
  deleteCode,
  deleteCodesOf,
  existsValidCode,
  insertCode,
} from '../mailed-token-queries.ts';
import { startSession } from '../sign-in/sessions/sessions.ts';
import { findUser, lockUnverifiedUser, markEmailVerified } from '../users/user-queries.ts';
import { toTakenError } from '../users/users.ts';
import { settleClaims } from './unverified-accounts.ts';

const CODE_MINUTES = RETENTION.verificationCodeMinutes;
const CODE_TRIES = 5;

/**
 * Sends a new code and voids older ones. Throws AppError `already_verified`, and `too_many_requests` beyond one a
 * minute, five an hour or, per mailbox, twenty a day.
 */
export async function sendCode(context: Context, userId: string, request: FastifyRequest): Promise<void> {
  await transaction(context.db, async (trx) => {
    const user = await lockUnverifiedUser(trx, userId);
    if (!user) throw new AppError('already_verified');
    await issueCode({ ...context, db: trx }, user, request);
  });
}

export async function sendCodeIfNoneIsValid(
  context: Context,
  userId: string,
  request: FastifyRequest,
): Promise<void> {
  const now = context.clock.now();
  if (await existsValidCode(context.db, { userId, now, tries: CODE_TRIES })) return;
  try {
    await sendCode(context, userId, request);
  } catch (error) {
    if (!isAppError(error, 'too_many_requests') && !isAppError(error, 'already_verified')) throw error;
  }
}

/**
 * Replaces older codes with a new one and enqueues its mail. The caller's transaction must hold the user's row lock.
 * Throws AppError `too_many_requests`.
 */
export async function issueCode(
  context: Omit<Context, 'db'> & { db: Trx },
  user: UserRow,
  request: FastifyRequest,
): Promise<void> {
  const { db: trx, clock, config, secret } = context;
  await claimSendTries(context, user, request);
  const now = clock.now();
  const code = randomCode();
  await deleteCodesOf(trx, user.id);
  await insertCode(trx, {
    id: randomId(),
    userId: user.id,
    codeHash: hashCode(secret, user.id, code),
    expiresAt: now + CODE_MINUTES * MINUTE_MS,
    createdAt: now,
  });
  const url = config.publicUrl + verifyEmailLink(user.email, code);
  const reader = { ...user, language: user.language ?? requestLanguage(request) };
  await enqueueCodeMail(trx, reader, { code, url, minutes: CODE_MINUTES, createdAt: now });
}

/** Also counts per mailbox, so that repeated registrations or tagged addresses cannot flood it. */
async function claimSendTries(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  { id, email }: UserRow,
  request: FastifyRequest,
): Promise<void> {
  const mailbox = mailboxKey(email);
  await requireWithinLimit(context, { key: `code:minute:${id}`, limit: 1, windowMs: MINUTE_MS });
  await requireWithinLimit(context, { key: `code:hour:${id}`, limit: 5, windowMs: HOUR_MS });
  await requireWithinLimit(context, { key: `code:mailbox:${mailbox}`, limit: 5, windowMs: HOUR_MS });
  await requireWithinLimit(context, { key: `code:mailbox:day:${mailbox}`, limit: 20, windowMs: DAY_MS });
  await requireAddressWithinLimits(context, request, { key: 'code:address', limit: 100, windowMs: HOUR_MS });
}

type Proof = { identity: Identity; code: string; request: FastifyRequest };

/**
 * Marks the email address as verified. `token` belongs to a new session if the caller has the pending cookie. Throws
 * AppError `wrong_code`, `code_expired` (old, void, or five wrong attempts), `already_verified`, and `username_taken`
 * or `email_taken` when another registration was verified first.
 */
export async function verifyEmail(
  context: Context,
  { identity, code, request }: Proof,
): Promise<{ user: UserRow; token: string | undefined }> {
  if (identity.user.emailVerified) throw new AppError('already_verified');
  const codeId = await checkCode(context, identity.user.id, code);
  try {
    return await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      const verified = await markEmailVerified(trx, identity.user.id, context.clock.now());
      if (!verified) throw new AppError('already_verified');
      if (!(await deleteCode(trx, codeId))) throw new AppError('code_expired');
      const user = await settleClaims(trx, verified);
      const isPending = identity.sessionId === null;
      const session = { user, methods: ['email-code'] } as const;
      if (isPending)
        await recordAccountEvent(deps, {
          userId: user.id,
          kind: 'sign-in',
          request,
          details: { method: 'email-code' },
        });
      const token = isPending ? await startSession(deps, session, request) : undefined;
      return { user, token };
    });
  } catch (error) {
    throw toTakenError(error);
  }
}

/** Counts the attempt before it compares the code, so that parallel guesses don't get extra attempts. */
async function checkCode(
  { db, clock, secret, previousSecret }: Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret'>,
  userId: string,
  code: string,
): Promise<string> {
  const found = await countCodeTry(db, { userId, now: clock.now(), tries: CODE_TRIES });
  if (!found) {
    const user = await findUser(db, userId);
    throw new AppError(user?.emailVerified ? 'already_verified' : 'code_expired');
  }
  const isRight = (key: string) => equalInConstantTime(found.codeHash, hashCode(key, userId, code));
  if (isRight(secret) || (previousSecret !== undefined && isRight(previousSecret))) return found.id;
  throw new AppError(found.attempts < CODE_TRIES ? 'wrong_code' : 'code_expired');
}

function hashCode(secret: string, userId: string, code: string): string {
  return keyedHash(secret, 'email-code', userId, code);
}
