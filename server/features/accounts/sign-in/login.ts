import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { LoginInput } from '../../../../contracts/accounts/accounts.ts';
import {
  type SecondFactor,
  SIGN_IN_METHODS,
  type SignInMethod,
} from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { errorMessage } from '../../../../contracts/errors.ts';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { isStorableText } from '../../../../contracts/values/fields.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { SignInAttemptRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import {
  deleteKnownPlaces,
  existsKnownPlace,
  findKnownPlaces,
  recordKnownPlace,
} from '../../../platform/http/limits/known-places.ts';
import {
  addressKey,
  claimFromBudget,
  deleteCounters,
  formatWait,
  type RateLimit,
  refundCounter,
  refundToBudget,
  requireAddressWithinLimits,
  requireWithinLimit,
  toRetryAfter,
} from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { hashToken, keyedHash, randomId } from '../../../platform/lib/tokens.ts';
import { sendCodeIfNoneIsValid } from '../email/verification-codes.ts';
import { recordAccountEvent } from '../events/events.ts';
import { mailNewDevice } from '../events/new-device.ts';
import { listSignInAddresses } from '../events/queries.ts';
import { listFactorMethods } from '../factors/factors.ts';
import {
  claimHashing,
  type HashingTurn,
  rehashPassword,
  UNKNOWN_USER_HASH,
  verifyPassword,
} from '../passwords/passwords.ts';
import { isInactive } from '../passwords/stored-hashes.ts';
import type { Provider } from '../single-sign-on/providers/providers.ts';
import { findProviderInstead, ssoRequired } from '../single-sign-on/providers/required.ts';
import { findUserByKey, lockUserWithPassword, updateUser } from '../users/user-queries.ts';
import { startAttempt } from './attempts.ts';
import { readBrowserToken, type SignInTokens } from './sessions/cookies.ts';
import { type NewSession, type SessionProvider, startSession } from './sessions/sessions.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'previousSecret'>;
type InTransaction = Omit<Deps, 'db'> & Pick<Context, 'geo' | 'security'> & { db: Trx };
const WINDOW_MS = 15 * MINUTE_MS;
const TRIES_PER_ADDRESS = 100;

/** Per account and network address, and per account and known browser. */
const TRIES_PER_PLACE = 10;

/** Shared by all unknown places of an account: 50 attempts, refilled at 96 a day. */
const BUDGET = { tries: 50, refillMs: 15 * MINUTE_MS };

const KNOWN_PLACES_MAX = 50;

/** An unknown name gets a counter too, so that the responses don't reveal whether it exists. */
type Login = { user: Pick<UserRow, 'id'> | undefined; name: string; request: FastifyRequest };

type LoginTry = { limits: Pick<RateLimit, 'key'>[]; budgetKey: string | undefined };

export type SignInResult =
  | { kind: 'signed-in'; user: UserRow; tokens: SignInTokens }
  | { kind: 'second-factor'; attemptToken: string; factors: SecondFactor[] };

/** `sso-required` is thrown after the commit, so that the right password doesn't count as an attempt. */
type Decision = SignInResult | { kind: 'sso-required'; provider: Provider };

/**
 * Signs in by username or email address. An unknown name takes as long and fails with the same error as a wrong
 * password. For an account with a second factor, the result is a token with which `finishSignIn` continues. Throws
 * AppError `wrong_credentials`, `sso_required` (after the right password), `too_many_requests` and `unavailable`.
 */
export async function signIn(
  context: Context,
  { username, password }: z.output<typeof LoginInput>,
  request: FastifyRequest,
): Promise<SignInResult> {
  if (!isStorableText(username)) throw new AppError('invalid_input');
  const name = username.trim().toLowerCase();
  const user = await findUserByKey(context.db, name.includes('@') ? 'emailKey' : 'usernameKey', name);
  request.accountId = user?.id;
  const tries = await claimLoginTry(context, { user, name, request });
  const turn: HashingTurn = { lane: 'sign-in', address: addressKey(request), account: user?.id ?? name };
  const isRight = await verifyPassword(user?.passwordHash ?? UNKNOWN_USER_HASH, password, turn);
  if (!user || !isRight) throw new AppError('wrong_credentials');
  const passwordHash = await rehashPassword(user.passwordHash, password, turn);
  const result = await transaction(context.db, async (trx): Promise<Decision | undefined> => {
    const deps = { ...context, db: trx };
    await refundLoginTry(deps, tries);
    // If the password changed during the check, don't go on.
    const found = await lockUserWithPassword(trx, user);
    if (!found) return undefined;
    const locked = passwordHash ? await updateUser(trx, found.id, { passwordHash }) : found;
    const provider = await findProviderInstead(deps, locked);
    if (provider) return { kind: 'sso-required', provider };
    if (locked.hasSecondFactor) return askForFactor(deps, locked, 'password');
    const tokens = await completeSignIn(deps, { user: locked, methods: ['password'] }, request);
    return { kind: 'signed-in', user: locked, tokens };
  });
  if (!result) throw new AppError('wrong_credentials');
  if (result.kind === 'sso-required') throw ssoRequired(result.provider);
  if (!user.emailVerified) await sendCodeIfNoneIsValid(context, user.id, request);
  return result;
}

/** Milliseconds in which the second factor must follow the password. */
export const SECOND_FACTOR_MS = 5 * MINUTE_MS;

/** Continues with the second factor. The caller's transaction must hold the user's row lock. */
export async function askForFactor(
  deps: Pick<Context, 'clock'> & { db: Trx },
  { id: userId }: UserRow,
  firstMethod: SignInMethod,
  provider?: SessionProvider,
): Promise<Extract<SignInResult, { kind: 'second-factor' }>> {
  const attempt = {
    stage: 'second-factor',
    userId,
    challenge: provider ? JSON.stringify({ method: firstMethod, provider }) : firstMethod,
    lifetime: SECOND_FACTOR_MS,
  } as const;
  return {
    kind: 'second-factor',
    attemptToken: await startAttempt(deps, attempt),
    factors: await listFactorMethods(deps.db, userId),
  };
}

/** The first step of an attempt that waits for the second factor. */
export function readFirstStep({ challenge }: SignInAttemptRow): {
  method: SignInMethod;
  provider?: SessionProvider;
} {
  if (challenge?.startsWith('{')) return JSON.parse(challenge);
  return { method: SIGN_IN_METHODS.find((method) => method === challenge) ?? 'password' };
}

/**
 * Counts a login attempt before the password is checked. A network address or browser that has signed in to the
 * account before has its own limit, so that strangers cannot lock out the owner. All others share the account's
 * budget, however many addresses they use. Throws AppError `too_many_requests`.
 */
export async function claimLoginTry(deps: Deps, { user, name, request }: Login): Promise<LoginTry> {
  const subject = user ? subjectOf(user) : `name:${hashToken(name)}`;
  const tries = await claimTry(deps, { kind: 'login', subject, request });
  await claimHashing(deps, {
    ...(tries.isKnownBrowser ? {} : { address: addressKey(request) }),
    ...(user && { userId: user.id }),
  });
  return tries;
}

/** Like `claimLoginTry`, for the proofs of a second factor. */
export function claimFactorTry(
  deps: Deps,
  { user, request }: Pick<Login, 'request'> & { user: Pick<UserRow, 'id'> },
): Promise<LoginTry> {
  return claimTry(deps, { kind: 'factor', subject: subjectOf(user), request });
}

type Try = { kind: 'login' | 'factor'; subject: string; request: FastifyRequest };

async function claimTry(
  deps: Deps,
  { kind, subject, request }: Try,
): Promise<LoginTry & { isKnownBrowser: boolean }> {
  const address = addressKey(request);
  const places = placesOf(deps, subject, request);
  const known = await findKnownPlaces(deps, { subject, places: Object.values(places) });
  if (known.has(places.browser)) {
    const byBrowser = {
      key: `${kind}:browser:${places.browser}`,
      limit: TRIES_PER_PLACE,
      windowMs: WINDOW_MS,
    };
    await requireWithinLimit(deps, byBrowser);
    return { limits: [byBrowser], budgetKey: undefined, isKnownBrowser: true };
  }
  const byAddress = await requireAddressWithinLimits(deps, request, {
    key: kind,
    limit: TRIES_PER_ADDRESS,
    windowMs: WINDOW_MS,
  });
  const byBoth = { key: byBothKey(kind, subject, address), limit: TRIES_PER_PLACE, windowMs: WINDOW_MS };
  await requireWithinLimit(deps, byBoth);
  const budgetKey = known.has(places.address) ? undefined : `${kind}:budget:${subject}`;
  const waitMs = budgetKey && (await claimFromBudget(deps, { key: budgetKey, ...BUDGET }));
  if (waitMs) throw accountExhausted(waitMs);
  return { limits: [...byAddress, byBoth], budgetKey, isKnownBrowser: false };
}

function accountExhausted(waitMs: number): AppError {
  const wait = formatWait(waitMs);
  return new AppError('too_many_requests', {
    message: `${errorMessage('too_many_requests', { wait })} You can also sign in where you signed in before, or set a new password by email.`,
    details: { wait },
    retryAfterSeconds: toRetryAfter(waitMs),
  });
}

export async function refundLoginTry(deps: Deps, { limits, budgetKey }: LoginTry): Promise<void> {
  for (const each of limits) await refundCounter(deps, each);
  if (budgetKey) await refundToBudget(deps, { key: budgetKey, refillMs: BUDGET.refillMs });
}

/**
 * Starts the session of a person who has proved who they are. Every way of signing in ends here. The caller's
 * transaction must hold the user's row lock. Throws AppError `wrong_credentials` for an inactive account.
 */
export async function completeSignIn(
  deps: InTransaction,
  { user, ...session }: { user: SignedIn } & Omit<NewSession, 'user'>,
  request: FastifyRequest,
): Promise<SignInTokens> {
  if (isInactive(user)) throw new AppError('wrong_credentials');
  const { methods } = session;
  const kind = (await isNewDevice(deps, user, request)) ? 'sign-in-new-device' : 'sign-in';
  const method = methods.at(-1);
  await recordAccountEvent(deps, { userId: user.id, kind, request, ...(method && { details: { method } }) });
  if (kind === 'sign-in-new-device') {
    await mailNewDevice(deps, user, { methods, request });
    deps.security.record(request, 'login.new_device', { accountId: user.id });
  }
  const browserToken = await recordSignIn(deps, user, request);
  return { token: await startSession(deps, { user, ...session }, request), browserToken };
}

type SignedIn = Pick<UserRow, 'id' | 'email' | 'isAdmin' | 'language' | 'createdAt' | 'passwordHash'>;

/**
 * Whether neither the browser nor the network address has signed in to the account before. The first sign-in of a new
 * account doesn't count, because there is nothing to compare it with.
 */
async function isNewDevice(
  deps: Omit<Deps, 'db'> & { db: Trx },
  user: SignedIn,
  request: FastifyRequest,
): Promise<boolean> {
  const subject = subjectOf(user);
  const known = await findKnownPlaces(deps, {
    subject,
    places: Object.values(placesOf(deps, subject, request)),
  });
  if (known.size > 0) return false;
  const addresses = await listSignInAddresses(deps.db, user.id);
  if (addresses.includes(request.ip)) return false;
  const isYoung = user.createdAt > deps.clock.now() - RETENTION.knownPlaceDays * DAY_MS;
  return addresses.length > 0 || !isYoung || (await existsKnownPlace(deps, subject));
}

/**
 * Remembers the network address and browser after a successful sign-in and resets that address's attempts. Returns a
 * new token for the browser cookie.
 */
export async function recordSignIn(
  deps: Omit<Deps, 'db'> & { db: Trx },
  user: Pick<UserRow, 'id'>,
  request: FastifyRequest,
): Promise<string> {
  const subject = subjectOf(user);
  const token = randomId();
  await deleteCounters(deps, [byBothKey('login', subject, addressKey(request))]);
  for (const place of [addressPlace(deps, subject, request), browserPlace(deps, subject, token)])
    await recordKnownPlace(deps, { subject, place, max: KNOWN_PLACES_MAX });
  return token;
}

export function deletePlacesOf(trx: Trx, userId: string): Promise<void> {
  return deleteKnownPlaces(trx, subjectOf({ id: userId }));
}

function subjectOf({ id }: Pick<UserRow, 'id'>): string {
  return `user:${id}`;
}

function byBothKey(kind: Try['kind'], subject: string, address: string): string {
  return `${kind}:${subject}:${address}`;
}

function placesOf(deps: Deps, subject: string, request: FastifyRequest) {
  return {
    address: addressPlace(deps, subject, request),
    browser: browserPlace(deps, subject, readBrowserToken(deps, request) ?? ''),
  };
}

/** Keyed, so that the database doesn't reveal network addresses. */
function addressPlace({ secret }: Pick<Deps, 'secret'>, subject: string, request: FastifyRequest): string {
  return keyedHash(secret, 'known-address', subject, addressKey(request));
}

function browserPlace({ secret }: Pick<Deps, 'secret'>, subject: string, token: string): string {
  return keyedHash(secret, 'known-browser', subject, token);
}
