import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { LoginInput } from '../../../contracts/accounts.ts';
import { isStorableText } from '../../../contracts/common.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { sendCodeIfNoneIsValid } from './codes.ts';
import { giveBackLoginTry, takeLoginTry } from './login-tries.ts';
import { UNKNOWN_USER_HASH, verifyPassword } from './passwords.ts';
import { lockUserWithPassword, selectUserByKey } from './queries.ts';
import { startSession } from './sessions.ts';

/**
 * Signs in by username or e-mail address. An unknown name costs and answers the same as a wrong password.
 * Returns the new session's token. Throws AppError `wrong_credentials` and `too_many_requests`.
 */
export async function signIn(
  context: Context,
  { username, password }: z.output<typeof LoginInput>,
  request: FastifyRequest,
): Promise<{ user: UserRow; token: string }> {
  if (!isStorableText(username)) throw new AppError('invalid_input');
  const name = username.trim().toLowerCase();
  const tries = await takeLoginTry(context, name, addressKey(request));
  const user = await selectUserByKey(context.db, name.includes('@') ? 'emailKey' : 'usernameKey', name);
  request.accountId = user?.id;
  const isRight = await verifyPassword(user?.passwordHash ?? UNKNOWN_USER_HASH, password);
  if (!user || !isRight) throw new AppError('wrong_credentials');
  const token = await transaction(context.db, async (trx) => {
    await giveBackLoginTry({ ...context, db: trx }, tries);
    // A password that changed while it was being checked opens nothing (race 22).
    if (!(await lockUserWithPassword(trx, user))) return undefined;
    return startSession({ ...context, db: trx }, user.id, request);
  });
  if (token === undefined) throw new AppError('wrong_credentials');
  if (!user.emailVerified) await sendCodeIfNoneIsValid(context, user.id, request);
  return { user, token };
}
