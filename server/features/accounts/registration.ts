import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RegisterInput } from '../../../contracts/accounts.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey, takeAddressTries } from '../../platform/http/rate-limits.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { issueCode } from './codes.ts';
import { newUser } from './new-user.ts';
import { hashPassword } from './passwords.ts';
import { insertUser } from './queries.ts';
import { toTakenError } from './taken.ts';
import { claimKeys } from './unverified-accounts.ts';

const REGISTRATIONS_PER_HOUR = 100;

/**
 * Creates an unverified free account and sends its code. The unique indexes decide who was first; a name or an address
 * of an older unverified account is claimed (`claimKeys`). Throws AppError `username_taken` or `email_taken`, and
 * `too_many_requests` per network address.
 */
export async function registerUser(
  context: Context,
  { name, username, email, password }: z.output<typeof RegisterInput>,
  request: FastifyRequest,
): Promise<UserRow> {
  await takeAddressTries(context, request, {
    key: 'register',
    limit: REGISTRATIONS_PER_HOUR,
    windowMs: HOUR_MS,
  });
  const passwordHash = await hashPassword(password, { address: addressKey(request) });
  const person = { name, username, email, passwordHash };
  const row = newUser(person, { emailVerified: 0, isAdmin: 0, tier: 'free' }, context.clock.now());
  try {
    await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      await insertUser(trx, { ...row, ...(await claimKeys(deps, row)) });
      await issueCode(deps, row, request);
    });
  } catch (error) {
    throw toTakenError(error);
  }
  context.wakeWorker();
  return row;
}
