import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import type { Identity } from '../../platform/http/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { existsActiveKey, existsSession, lockUser } from './queries.ts';

/** Locks a user's row until the transaction ends; undefined for a deleted account. */
export function lockAccount(trx: Trx, userId: string): Promise<UserRow | undefined> {
  return lockUser(trx, userId);
}

/**
 * Locks the caller's row like `lockAccount`, and checks again that the session or key of the call still gives access:
 * an account recovery that commits while a call is running also stops that call from creating or enabling anything.
 * Throws AppError `not_signed_in` and `api_key_inactive`.
 */
export async function lockCaller(
  trx: Trx,
  { user: { id }, sessionId, apiKey }: Pick<Identity, 'user' | 'sessionId' | 'apiKey'>,
): Promise<UserRow> {
  const user = await lockUser(trx, id);
  if (!user) throw new AppError('not_signed_in');
  if (sessionId !== null && !(await existsSession(trx, sessionId))) throw new AppError('not_signed_in');
  if (apiKey && !(await existsActiveKey(trx, apiKey.id))) throw new AppError('api_key_inactive');
  return user;
}
