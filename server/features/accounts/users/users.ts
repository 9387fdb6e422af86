import { errorMessage } from '../../../../contracts/errors.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import { isUniqueViolation } from '../../../platform/db/engines/errors.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { randomUserId } from '../../../platform/lib/tokens.ts';
import { existsActiveKey, existsSession, findUserByKey, lockAccount, updateUser } from './user-queries.ts';

export type Person = {
  name: string;
  username: string;
  email: string;
  passwordHash: string;
  language?: LanguageCode | null;
};
type Standing = Pick<UserRow, 'emailVerified' | 'isAdmin' | 'tier'>;

/** The `…Key` columns are in lower case, which makes names and addresses unique ignoring case. */
export function newUser(person: Person, standing: Standing, now: number): UserRow {
  return {
    id: randomUserId(),
    language: null,
    ...person,
    usernameKey: person.username.toLowerCase(),
    emailKey: person.email.toLowerCase(),
    ...standing,
    paymentCustomerId: null,
    paymentSubscriptionId: null,
    backgroundStorageKey: null,
    backgroundFilename: null,
    backgroundMimeType: null,
    backgroundSizeBytes: null,
    backgroundSmallSizeBytes: null,
    createdAt: now,
    // Accounts created by an administrator or through an invitation count as verified.
    registeredAt: standing.emailVerified ? null : now,
    deletedAt: null,
    isClaiming: 0,
    hasSecondFactor: 0,
    firstVerifiedAt: standing.emailVerified ? now : null,
  };
}

/** Matches a username or email address, ignoring case. */
export async function findPerson(
  { db }: Pick<Context, 'db'>,
  nameOrAddress: string,
): Promise<UserRow | undefined> {
  const key = nameOrAddress.toLowerCase();
  return (await findUserByKey(db, 'usernameKey', key)) ?? (await findUserByKey(db, 'emailKey', key));
}

/** The caller's transaction must hold the user's row lock. */
export async function setPlan(
  trx: Trx,
  userId: string,
  plan: { tier: Tier; paymentSubscriptionId: string | null },
): Promise<void> {
  await updateUser(trx, userId, plan);
}

/** The caller's transaction must hold the user's row lock. */
export async function setPaymentCustomer(trx: Trx, userId: string, customerId: string): Promise<void> {
  await updateUser(trx, userId, { paymentCustomerId: customerId });
}

/**
 * Locks the caller's row and checks again that the session or API key is still valid, so that a call running during an
 * account recovery cannot create or enable anything.
 */
export async function lockCaller(
  trx: Trx,
  { user: { id }, sessionId, apiKey }: { user: Pick<UserRow, 'id'> } & Pick<Identity, 'sessionId' | 'apiKey'>,
): Promise<UserRow> {
  const user = await lockAccount(trx, id);
  if (!user) throw new AppError('not_signed_in');
  if (sessionId !== null && !(await existsSession(trx, sessionId))) throw new AppError('not_signed_in');
  if (apiKey && !(await existsActiveKey(trx, apiKey.id))) throw new AppError('api_key_inactive');
  return user;
}

export function takenError(column: 'usernameKey' | 'emailKey'): AppError {
  return column === 'usernameKey'
    ? new AppError('username_taken', { errors: { username: errorMessage('username_taken') } })
    : new AppError('email_taken', { errors: { email: errorMessage('email_taken') } });
}

/** Turns a unique violation of a username or address into its AppError; returns other errors unchanged. */
export function toTakenError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users.usernameKey')) return takenError('usernameKey');
  if (isUniqueViolation(error, 'users.emailKey')) return takenError('emailKey');
  return error;
}
