import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { PasskeyRequest } from '../../../../contracts/accounts/sign-in/passkeys.ts';
import type {
  reauthenticate as contract,
  FactorProof,
} from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { STEP_UP_MINUTES } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { SignInAttemptRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { claimWithinLimit, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { sendCodeIfNoneIsValid } from '../email/verification-codes.ts';
import { checkFactor } from '../factors/check-factor.ts';
import { listFactorMethods } from '../factors/factors.ts';
import { askForPasskey } from '../factors/passkeys/assertions.ts';
import type { ChallengeOwner } from '../factors/passkeys/challenges.ts';
import { requireCurrentPassword, wrongCurrentPassword } from '../passwords/password-changes.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';
import { findUser, lockAccount, lockUserWithPassword } from '../users/user-queries.ts';
import { claimAttempt, findAttempt } from './attempts.ts';
import { claimFactorTry, completeSignIn, readFirstStep, refundLoginTry, SECOND_FACTOR_MS } from './login.ts';
import type { SignInTokens } from './sessions/cookies.ts';
import { strengthenSession } from './step-up.ts';

/** After this many wrong proofs, the password is asked again. */
const TRIES_PER_ATTEMPT = 5;

/**
 * Finishes the sign-in that `signIn` began: one of several parallel calls with the same attempt or the same proof gets
 * the session. Throws AppError `sign_in_expired` (too old, used, five wrong proofs, or the account has changed),
 * `wrong_factor`, `passkey_expired`, `sso_required` and `too_many_requests`.
 */
export async function finishSignIn(
  context: Context,
  { token, proof }: { token: string | undefined; proof: FactorProof },
  request: FastifyRequest,
): Promise<{ user: UserRow; tokens: SignInTokens; userVerified?: boolean }> {
  const { attempt, user } = await getAttempt(context, token);
  request.accountId = user.id;
  await countTry(context, attempt);
  const tries = await claimFactorTry(context, { user, request });
  const factor = await checkFactor(context, { user, stage: 'passkey-factor' }, proof, request);
  const result = await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const locked = await lockAccount(trx, user.id);
    const claimed = await claimAttempt(deps, { token: token!, stage: 'second-factor' });
    if (!locked || !claimed) throw new AppError('sign_in_expired');
    if (!(await factor.use(trx))) throw new AppError('wrong_factor');
    await refundLoginTry(deps, tries);
    const { method, provider } = readFirstStep(claimed);
    const methods = [method, factor.method];
    return { user: locked, tokens: await completeSignIn(deps, { user: locked, methods, provider }, request) };
  });
  if (!user.emailVerified) await sendCodeIfNoneIsValid(context, user.id, request);
  const { userVerified } = factor;
  return { ...result, ...(userVerified !== undefined && { userVerified }) };
}

async function getAttempt(context: Context, token: string | undefined) {
  const attempt =
    token === undefined ? undefined : await findAttempt(context, { token, stage: 'second-factor' });
  const user = attempt?.userId ? await findUser(context.db, attempt.userId) : undefined;
  if (!attempt || !user) throw new AppError('sign_in_expired');
  return { attempt, user };
}

/** Each page asks once. Keeps scripts from filling the table. */
const PASSKEY_REQUESTS = { limit: 20, windowMs: SECOND_FACTOR_MS };

/**
 * Asks for a passkey of the account whose sign-in waits for the second factor. Throws AppError `sign_in_expired`,
 * `passkey_not_found` and `too_many_requests`.
 */
export async function beginPasskeyFactor(
  context: Context,
  { token, browser }: { token: string | undefined; browser: string },
): Promise<PasskeyRequest> {
  const { attempt, user } = await getAttempt(context, token);
  await requireWithinLimit(context, { key: `passkey:attempt:${attempt.id}`, ...PASSKEY_REQUESTS });
  return askForOneOf(context, { stage: 'passkey-factor', userId: user.id, browser });
}

/** Asks for a passkey of the caller. Throws AppError `passkey_not_found` and `too_many_requests`. */
export async function beginPasskeyConfirmation(
  context: Context,
  { id: userId }: Pick<UserRow, 'id'>,
  browser: string,
): Promise<PasskeyRequest> {
  await requireWithinLimit(context, { key: `passkey:confirmation:${userId}`, ...PASSKEY_REQUESTS });
  return askForOneOf(context, { stage: 'passkey-confirmation', userId, browser });
}

async function askForOneOf(context: Context, owner: ChallengeOwner): Promise<PasskeyRequest> {
  const asked = await askForPasskey(context, owner);
  if (asked.allowCredentials.length === 0) throw new AppError('passkey_not_found');
  return asked;
}

async function countTry(context: Context, { id }: SignInAttemptRow): Promise<void> {
  const tries = { key: `factor:attempt:${id}`, limit: TRIES_PER_ATTEMPT, windowMs: SECOND_FACTOR_MS };
  if (await claimWithinLimit(context, tries)) throw new AppError('sign_in_expired');
}

/**
 * Confirms who is signed in, so that calls with the access `step-up` are allowed again; returns until when. Accounts
 * with a second factor confirm with it, others with the password. Throws AppError `wrong_current_password`,
 * `wrong_factor`, `passkey_expired`, `second_factor_required` (for a password, with the account's factors),
 * `no_password` and `too_many_requests`.
 */
export async function reauthenticate(
  context: Context,
  { user, sessionId }: Pick<Identity, 'user' | 'sessionId'>,
  proof: z.output<NonNullable<typeof contract.body>>,
  request: FastifyRequest,
): Promise<number> {
  if (sessionId === null) throw new AppError('not_signed_in');
  if (proof.method === 'password') await confirmPassword(context, { user, sessionId }, proof.password);
  else await confirmFactor(context, { user, sessionId }, proof, request);
  return context.clock.now() + STEP_UP_MINUTES * MINUTE_MS;
}

type OfSession = { user: UserRow; sessionId: string };

async function confirmPassword(
  context: Context,
  { user, sessionId }: OfSession,
  password: string,
): Promise<void> {
  if (user.hasSecondFactor) {
    const factors = await listFactorMethods(context.db, user.id);
    throw new AppError('second_factor_required', { details: { factors } });
  }
  if (user.passwordHash === UNKNOWN_USER_HASH) throw new AppError('no_password');
  await requireCurrentPassword(context, user, { password, field: 'password' });
  await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    if (!(await lockUserWithPassword(trx, user))) throw wrongCurrentPassword('password');
    await strengthenSession(deps, sessionId, 'password');
  });
}

async function confirmFactor(
  context: Context,
  { user, sessionId }: OfSession,
  proof: FactorProof,
  request: FastifyRequest,
): Promise<void> {
  const tries = await claimFactorTry(context, { user, request });
  const factor = await checkFactor(context, { user, stage: 'passkey-confirmation' }, proof, request);
  await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const locked = await lockAccount(trx, user.id);
    if (!locked || !(await factor.use(trx))) throw new AppError('wrong_factor');
    await refundLoginTry(deps, tries);
    await strengthenSession(deps, sessionId, factor.method);
  });
}
