import type { FastifyRequest } from 'fastify';
import type { PasskeyAssertion, PasskeyRequest } from '../../../../contracts/accounts/sign-in/passkeys.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { refundCounter, requireAddressWithinLimits } from '../../../platform/http/limits/rate-limits.ts';
import { sendCodeIfNoneIsValid } from '../email/verification-codes.ts';
import { askForPasskey, checkPasskey } from '../factors/passkeys/assertions.ts';
import { wrongPasskey } from '../factors/passkeys/relying-party.ts';
import { lockAccount } from '../users/user-queries.ts';
import { completeSignIn } from './login.ts';
import type { SignInTokens } from './sessions/cookies.ts';

const WINDOW_MS = 15 * MINUTE_MS;

/** Per network address. Each open sign-in page asks again every few minutes. */
const REQUESTS = { key: 'passkey:request', limit: 600, windowMs: WINDOW_MS };

/** Per network address. Signatures cannot be guessed, so there is no limit by account that a stranger could use up. */
const TRIES = { key: 'passkey:try', limit: 100, windowMs: WINDOW_MS };

/** Asks for any passkey, so the answer reveals no account. Throws AppError `too_many_requests`. */
export async function beginPasskeySignIn(
  context: Context,
  browser: string,
  request: FastifyRequest,
): Promise<PasskeyRequest> {
  await requireAddressWithinLimits(context, request, REQUESTS);
  return askForPasskey(context, { stage: 'passkey-sign-in', userId: null, browser });
}

/**
 * Signs in with a passkey that verified its user, which replaces password and second factor. Throws AppError
 * `passkey_expired`, `wrong_factor` and `too_many_requests`.
 */
export async function signInByPasskey(
  context: Context,
  { response, browser }: { response: PasskeyAssertion; browser: string | undefined },
  request: FastifyRequest,
): Promise<{ user: UserRow; tokens: SignInTokens }> {
  const tries = await requireAddressWithinLimits(context, request, TRIES);
  const owner = { stage: 'passkey-sign-in', userId: null, browser } as const;
  const passkey = await checkPasskey(context, owner, response, request);
  const result = await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockAccount(trx, passkey.userId);
    if (!user || !(await passkey.use(trx))) throw wrongPasskey();
    for (const each of tries) await refundCounter(deps, each);
    return { user, tokens: await completeSignIn(deps, { user, methods: ['passkey'] }, request) };
  });
  if (!result.user.emailVerified) await sendCodeIfNoneIsValid(context, result.user.id, request);
  return result;
}
