import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SIGN_IN_LINK_MINUTES } from '../../../../contracts/accounts/sign-in/link.ts';
import { signInLinkPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { Language } from '../../../../contracts/values/fields.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { SignInAttemptRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { requireAddressWithinLimits, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { hashToken } from '../../../platform/lib/tokens.ts';
import { mailboxKey } from '../../../platform/mail/mailbox-key.ts';
import { requireMayRegister } from '../../registration/index.ts';
import { enqueueSignInLinkMail } from '../emails.ts';
import { isInactive } from '../passwords/stored-hashes.ts';
import { requireNoSsoDomain } from '../single-sign-on/providers/required.ts';
import { lockAccount, lockUserByEmail } from '../users/user-queries.ts';
import { toTakenError } from '../users/users.ts';
import { insertVerifiedAccount } from '../users/verified-accounts.ts';
import { claimAttempt, deleteLinksOf, startAttempt } from './attempts.ts';
import { askForFactor, completeSignIn, type SignInResult } from './login.ts';
import { getSignInPolicy } from './policy.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

const REQUESTS_PER_HOUR = 30;

type RequestedLink = { email: string; language?: LanguageCode | null | undefined };

/** Looks up the account after the response is sent, so that response times don't reveal whether it exists. */
export const mailSignInLinkJob = defineJob<Context, RequestedLink>({
  name: 'accounts.mail-sign-in-link',
  payload: z.object({ email: z.string(), language: Language.nullish() }),
  run: mailRequestedLink,
});

/**
 * Requests a link to sign in, or to register with an unknown address. Like a password reset, the job waits for the
 * worker's next poll. Throws AppError `email_sign_in_off`, `sso_required` for all addresses of a domain, and
 * `too_many_requests` per network address.
 */
export async function requestSignInLink(
  context: Context,
  email: string,
  request: FastifyRequest,
): Promise<void> {
  await requireEmailSignIn(context);
  await requireNoSsoDomain(context, email);
  const limit = { key: 'sign-in-link:address', limit: REQUESTS_PER_HOUR, windowMs: HOUR_MS };
  await requireAddressWithinLimits(context, request, limit);
  const uniqueKey = hashToken(email.toLowerCase());
  await transaction(context.db, (trx) =>
    enqueue(
      trx,
      mailSignInLinkJob,
      { email, language: requestLanguage(request) },
      { uniqueKey, waitsForPoll: true },
    ),
  );
}

async function requireEmailSignIn(context: Pick<Context, 'db' | 'clock'>): Promise<void> {
  if (!(await getSignInPolicy(context)).emailSignIn) throw new AppError('email_sign_in_off');
}

async function mailRequestedLink(context: Context, requested: RequestedLink): Promise<void> {
  try {
    await transaction(context.db, (trx) => mailLink({ ...context, db: trx }, requested));
  } catch (error) {
    // Too many mails, or the address may not register. The caller must not learn whether the account exists.
    if (!isAppError(error)) throw error;
  }
}

/**
 * Ignores an account whose address is not verified: somebody else may have registered it, or moved an account to it,
 * and know its password.
 */
async function mailLink(deps: InTransaction, { email, language }: RequestedLink): Promise<void> {
  const { db: trx, clock, config } = deps;
  const emailKey = email.toLowerCase();
  const holder = await lockUserByEmail(trx, emailKey);
  if (holder && isInactive(holder)) return;
  const user = holder?.emailVerified === 1 ? holder : undefined;
  if (!user) await requireMayRegister(deps, { email });
  await claimMailbox(deps, user?.email ?? email);
  await deleteLinksOf(trx, emailKey);
  const token = await startAttempt(deps, {
    stage: 'link',
    userId: user?.id ?? null,
    challenge: user ? emailKey : email,
    lifetime: SIGN_IN_LINK_MINUTES * MINUTE_MS,
  });
  await enqueueSignInLinkMail(trx, {
    email: user?.email ?? email,
    userId: user?.id ?? null,
    language: user?.language ?? language ?? null,
    url: config.publicUrl + signInLinkPath(token),
    minutes: SIGN_IN_LINK_MINUTES,
    createdAt: clock.now(),
  });
}

async function claimMailbox(deps: InTransaction, email: string): Promise<void> {
  const mailbox = mailboxKey(email);
  const of = (period: string) => `sign-in-link:${period}:${mailbox}`;
  await requireWithinLimit(deps, { key: of('minute'), limit: 1, windowMs: MINUTE_MS });
  await requireWithinLimit(deps, { key: of('hour'), limit: 5, windowMs: HOUR_MS });
  await requireWithinLimit(deps, { key: of('day'), limit: 20, windowMs: DAY_MS });
}

/**
 * Signs in with the token of an emailed link; of parallel calls, one succeeds. Creates the account of an unknown
 * address. An account with a second factor continues with it. Throws AppError `link_void` (unknown, expired, used, or
 * the account's address has changed), `email_sign_in_off`, `sso_required`, `registration_…`, `too_many_requests`.
 */
export async function signInByLink(
  context: Context,
  token: string,
  request: FastifyRequest,
): Promise<SignInResult & { isNew: boolean }> {
  await requireEmailSignIn(context);
  try {
    return await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      const attempt = await claimAttempt(deps, { token, stage: 'link' });
      if (!attempt) throw new AppError('link_void');
      const isNew = attempt.userId === null;
      const user = isNew
        ? await createAccount(deps, attempt.challenge!, request)
        : await lockOwner(trx, attempt);
      request.accountId = user.id;
      if (user.hasSecondFactor) return { ...(await askForFactor(deps, user, 'link')), isNew };
      const tokens = await completeSignIn(deps, { user, methods: ['link'] }, request);
      return { kind: 'signed-in', user, tokens, isNew };
    });
  } catch (error) {
    throw toTakenError(error);
  }
}

async function lockOwner(trx: Trx, { userId, challenge }: SignInAttemptRow): Promise<UserRow> {
  const user = await lockAccount(trx, userId!);
  const isOwner = user?.emailVerified === 1 && user.emailKey === challenge;
  if (!isOwner) throw new AppError('link_void');
  return user;
}

async function createAccount(deps: InTransaction, email: string, request: FastifyRequest): Promise<UserRow> {
  await requireMayRegister(deps, { email });
  return insertVerifiedAccount(deps, { email, language: requestLanguage(request) });
}
