import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { LoginInput } from '../../../contracts/accounts/accounts.ts';
import { isStorableText } from '../../../contracts/values/fields.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { sendCodeIfNoneIsValid } from './codes.ts';
import { giveBackLoginTry, rememberSignIn, takeLoginTry } from './login-tries.ts';
import { UNKNOWN_USER_HASH, verifyPassword } from './passwords.ts';
import { lockUserWithPassword, selectUserByKey } from './queries.ts';
import { startSession } from './sessions.ts';

/**
 * Signs in by username or email address. An unknown name costs and answers the same as a wrong password. Returns the
 * new session's token, and a token for the browser's cookie. Throws AppError `wrong_credentials`,
 * `too_many_requests` and `unavailable`.
 */
export async function signIn(
  context: Context,
  { username, password }: z.output<typeof LoginInput>,
  request: FastifyRequest,
): Promise<{ user: UserRow; token: string; browserToken: string }> {
  if (!isStorableText(username)) throw new AppError('invalid_input');
  const name = username.trim().toLowerCase();
  const user = await selectUserByKey(context.db, name.includes('@') ? 'emailKey' : 'usernameKey', name);
  request.accountId = user?.id;
  const tries = await takeLoginTry(context, { user, name, request });
  const isRight = await verifyPassword(user?.passwordHash ?? UNKNOWN_USER_HASH, password, {
    lane: 'sign-in',
    address: addressKey(request),
    account: user?.id ?? name,
  });
  if (!user || !isRight) throw new AppError('wrong_credentials');
  const tokens = await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    await giveBackLoginTry(deps, tries);
    // A password that changed while it was being checked begins no session.
    if (!(await lockUserWithPassword(trx, user))) return undefined;
    const browserToken = await rememberSignIn(deps, user, request);
    return { token: await startSession(deps, user.id, request), browserToken };
  });
  if (!tokens) throw new AppError('wrong_credentials');
  if (!user.emailVerified) await sendCodeIfNoneIsValid(context, user.id, request);
  return { user, ...tokens };
}
