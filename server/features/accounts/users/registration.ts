import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RegisterInput } from '../../../../contracts/accounts/accounts.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { addressKey, requireAddressWithinLimits } from '../../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import { claimAccountInvitation, requireMayRegister } from '../../registration/index.ts';
import { claimKeys, settleClaims } from '../email/unverified-accounts.ts';
import { issueCode } from '../email/verification-codes.ts';
import { recordAccountEvent } from '../events/events.ts';
import { requireGoodPassword } from '../passwords/password-policy.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { startSession } from '../sign-in/sessions/sessions.ts';
import { requireNoSsoDomain } from '../single-sign-on/providers/required.ts';
import { insertUser } from './user-queries.ts';
import { newUser, toTakenError } from './users.ts';

const REGISTRATIONS_PER_HOUR = 100;

/**
 * Creates a free account. With an invitation the address counts as verified, because only that mailbox got the link,
 * and `token` belongs to the account's first session. Otherwise the account is unverified and gets a code by email.
 * Unique indexes decide between concurrent registrations; names and addresses of older unverified accounts are claimed
 * (`claimKeys`). Throws AppError `username_taken`, `email_taken`, `too_many_requests` per network address,
 * `invalid_input` (the policy refuses the password), `sso_required`, and `registration_…` or `account_invitation_void` when
 * registration is not allowed.
 */
export async function registerUser(
  context: Context,
  { name, username, email, password, invitationToken }: z.output<typeof RegisterInput>,
  request: FastifyRequest,
): Promise<{ user: UserRow; token: string | undefined }> {
  await requireAddressWithinLimits(context, request, {
    key: 'register',
    limit: REGISTRATIONS_PER_HOUR,
    windowMs: HOUR_MS,
  });
  await requireNoSsoDomain(context, email);
  await requireMayRegister(context, { email, invitationToken });
  await requireGoodPassword(context, { password, person: { name, username, email } });
  const passwordHash = await hashPassword(password, { address: addressKey(request) });
  const person = { name, username, email, passwordHash, language: requestLanguage(request) };
  const emailVerified = invitationToken === undefined ? 0 : 1;
  const user = newUser(person, { emailVerified, isAdmin: 0, tier: 'free' }, context.clock.now());
  try {
    const token = await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      const row = { ...user, ...(await claimKeys(deps, user)) };
      await insertUser(trx, row);
      if (invitationToken !== undefined) {
        await claimAccountInvitation(deps, invitationToken);
        await settleClaims(trx, row);
        await recordAccountEvent(deps, {
          userId: user.id,
          kind: 'sign-in',
          request,
          details: { method: 'invitation' },
        });
        return startSession(deps, { user, methods: ['invitation'] }, request);
      }
      await issueCode(deps, user, request);
      return undefined;
    });
    return { user, token };
  } catch (error) {
    throw toTakenError(error);
  }
}
