import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../../context.ts';
import { isUniqueViolation } from '../../../../platform/db/engines/errors.ts';
import type { Trx } from '../../../../platform/db/open.ts';
import type { UserRow } from '../../../../platform/db/schema.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import type { Identity } from '../../../../platform/http/routing/identity.ts';
import { isAppError } from '../../../../platform/lib/app-error.ts';
import { sendCodeIfNoneIsValid } from '../../email/verification-codes.ts';
import { isInactive } from '../../passwords/stored-hashes.ts';
import { askForFactor, completeSignIn, type SignInResult } from '../../sign-in/login.ts';
import { strengthenSession } from '../../sign-in/step-up.ts';
import { lockCaller } from '../../users/users.ts';
import { linkIdentity } from '../identities/identities.ts';
import { findIdentity, recordIdentityUse } from '../identities/identity-queries.ts';
import { getEnabledProvider, lockEnabledProvider, type Provider } from '../providers/providers.ts';
import { admit } from './admission.ts';
import { SsoFailure, toFailure } from './failures.ts';
import type { Pending, Purpose } from './pending.ts';
import { type ProvedIdentity, verifyAnswer } from './verify-answer.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

export type SsoResult = (SignInResult & { isNew: boolean }) | { kind: 'linked' | 'confirmed'; user: UserRow };

type Return = {
  pending: Pending & { createdAt: number };
  /** The request's query, with the question mark. */
  search: string;
  request: FastifyRequest;
  /** Of the session that this browser has now. */
  identity: Identity | undefined;
};

/** Two calls may create the same account or link the same identity; the second then finds it. */
const TRIES = 3;

/**
 * Verifies a provider's answer, then signs in, links or confirms. Changes nothing if it throws SsoFailure.
 */
export async function finishSso(context: Context, returned: Return): Promise<SsoResult> {
  const { pending, search, identity, request } = returned;
  requireSameSession(pending.purpose, identity);
  const provider = await getEnabledProvider(context, pending.providerId).catch(() => undefined);
  if (!provider) throw new SsoFailure('provider-off');
  const proved = await verifyAnswer(context, { provider, pending, search }).catch((error) => {
    throw toFailure(error);
  });
  const result = await settle(context, { pending, proved, request });
  if ('isNew' in result && result.kind === 'signed-in' && !result.user.emailVerified)
    await sendCodeIfNoneIsValid(context, result.user.id, request);
  return result;
}

/** A link or confirmation belongs to the session in which it began. */
function requireSameSession(purpose: Purpose, identity: Identity | undefined): void {
  if (purpose.kind !== 'sign-in' && identity?.sessionId !== purpose.sessionId)
    throw new SsoFailure('signed-out');
}

type Proof = { pending: Pending; proved: ProvedIdentity; request: FastifyRequest };

async function settle(context: Context, proof: Proof): Promise<SsoResult> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(context.db, async (trx) => {
        const deps = { ...context, db: trx };
        const provider = await lockEnabledProvider(deps, proof.pending.providerId);
        if (!provider) throw new SsoFailure('provider-off');
        const { purpose } = proof.pending;
        if (purpose.kind === 'sign-in') return signIn(deps, provider, proof);
        const user = await lockCaller(trx, {
          user: { id: purpose.userId },
          sessionId: purpose.sessionId,
        });
        return purpose.kind === 'link'
          ? link(deps, { user, provider }, proof)
          : confirm(deps, { user, provider, purpose }, proof);
      });
    } catch (error) {
      if (isAppError(error, 'not_signed_in')) throw new SsoFailure('signed-out');
      if (tries >= TRIES || !isTaken(error)) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return (
    isAppError(error, 'email_taken') ||
    isAppError(error, 'username_taken') ||
    isUniqueViolation(error, 'users.emailKey') ||
    isUniqueViolation(error, 'users.usernameKey') ||
    isUniqueViolation(error, 'externalIdentities.providerId.subject')
  );
}

async function signIn(
  deps: InTransaction,
  provider: Provider,
  { proved, request }: Proof,
): Promise<SsoResult> {
  const { user, isNew } = await admit(deps, { provider, proved, request });
  request.accountId = user.id;
  if (isInactive(user)) throw new SsoFailure('no-account', 'inactive');
  const session = { id: provider.id, sid: proved.sid };
  const isStrong = provider.trustsSecondFactor && proved.hasSecondFactor;
  if (user.hasSecondFactor && !isStrong)
    return { ...(await askForFactor(deps, user, 'oidc', session)), isNew };
  const tokens = await completeSignIn(deps, { user, methods: ['oidc'], provider: session }, request);
  return { kind: 'signed-in', user, tokens, isNew };
}

type Subject = { user: UserRow; provider: Provider };

async function link(
  deps: InTransaction,
  { user, provider }: Subject,
  { proved, request }: Proof,
): Promise<SsoResult> {
  const { id: providerId, issuer } = provider;
  const identity = await findIdentity(deps.db, { providerId, issuer, subject: proved.subject });
  if (identity && identity.userId !== user.id) throw new SsoFailure('linked-elsewhere');
  if (!identity) await linkIdentity(deps, { user, provider, proved }, request);
  return { kind: 'linked', user };
}

async function confirm(
  deps: InTransaction,
  { user, provider, purpose }: Subject & { purpose: Extract<Purpose, { kind: 'step-up' }> },
  { proved }: Proof,
): Promise<SsoResult> {
  const { id: providerId, issuer } = provider;
  const identity = await findIdentity(deps.db, { providerId, issuer, subject: proved.subject });
  const isSame = identity?.id === purpose.identityId && identity.userId === user.id;
  const now = deps.clock.now();
  if (!isSame || !(await recordIdentityUse(deps.db, { id: identity.id, userId: user.id, now })))
    throw new SsoFailure('other-identity');
  // A second factor was added meanwhile, and only that may confirm.
  if (user.hasSecondFactor) throw new SsoFailure('not-confirmed');
  await strengthenSession(deps, purpose.sessionId, 'oidc');
  return { kind: 'confirmed', user };
}
