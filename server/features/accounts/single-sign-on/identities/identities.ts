import type { FastifyRequest } from 'fastify';
import type { ExternalIdentity } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import type { Context } from '../../../../context.ts';
import type { Trx } from '../../../../platform/db/open.ts';
import type { Instant } from '../../../../platform/db/schema/column-types.ts';
import type { ExternalIdentityRow, UserRow } from '../../../../platform/db/schema.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import type { Identity } from '../../../../platform/http/routing/identity.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../../platform/lib/clock.ts';
import { randomId } from '../../../../platform/lib/tokens.ts';
import { createAlertLink } from '../../events/account-alerts.ts';
import { recordAccountEvent } from '../../events/events.ts';
import { listFactorMethods } from '../../factors/factors.ts';
import { UNKNOWN_USER_HASH } from '../../passwords/passwords.ts';
import { getSignInPolicy } from '../../sign-in/policy.ts';
import { lockCaller } from '../../users/users.ts';
import type { ProvedIdentity } from '../flow/verify-answer.ts';
import { listProviders, type Provider } from '../providers/providers.ts';
import { findProviderInstead } from '../providers/required.ts';
import {
  deleteIdentitiesAddedSince,
  deleteIdentityOf,
  deleteSessionsOfProvider,
  insertIdentity,
  listIdentitiesOf,
} from './identity-queries.ts';
import { enqueueIdentityMail, type IdentityChange } from './mails.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

/** Deleting a provider deletes its identities, but one of the environment can just disappear. */
const UNKNOWN_PROVIDER = 'Unknown provider';

/** Oldest first. */
export async function listIdentities(context: Context, userId: string): Promise<ExternalIdentity[]> {
  const rows = await listIdentitiesOf(context.db, userId);
  const providers = new Map((await listProviders(context)).map((provider) => [provider.id, provider]));
  return rows.map(({ id, providerId, email, createdAt, lastUsedAt }) => {
    const provider = providers.get(providerId);
    return {
      id,
      provider: { id: providerId, name: provider?.name ?? UNKNOWN_PROVIDER },
      isUsable: provider?.isEnabled === true,
      email,
      createdAt: toIso(createdAt),
      lastUsedAt: toIsoOrNull(lastUsedAt),
    };
  });
}

/**
 * Links a proved identity to an account and tells its owner. The caller's transaction must hold the user's row lock.
 * Throws a unique violation if the identity is linked already.
 */
export async function linkIdentity(
  deps: InTransaction,
  { user, provider, proved }: { user: UserRow; provider: Provider; proved: ProvedIdentity },
  request: FastifyRequest,
): Promise<ExternalIdentityRow> {
  const identity = await addIdentity(deps, { user, provider, proved });
  await announce(deps, user, { change: 'linked', providerName: provider.name, request });
  return identity;
}

/** `linkIdentity` without telling the owner, for the account that was created with it. */
export function addIdentity(
  { db: trx, clock }: Pick<InTransaction, 'db' | 'clock'>,
  { user, provider, proved }: { user: UserRow; provider: Provider; proved: ProvedIdentity },
): Promise<ExternalIdentityRow> {
  const now = clock.now();
  return insertIdentity(trx, {
    id: randomId(),
    providerId: provider.id,
    issuer: provider.issuer,
    subject: proved.subject,
    userId: user.id,
    email: proved.email ?? null,
    createdAt: now,
    lastUsedAt: now,
  });
}

/**
 * Unlinks an identity and ends the sessions that it started, except the caller's. Throws
 * AppError `identity_not_found`, and `last_sign_in` if the account could not sign in any more.
 */
export async function unlinkIdentity(
  context: Context,
  caller: Pick<Identity, 'user' | 'sessionId'>,
  { id, request }: { id: string; request: FastifyRequest },
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockCaller(trx, caller);
    const identity = await deleteIdentityOf(trx, { id, userId: user.id });
    if (!identity) throw new AppError('identity_not_found');
    if (!(await canSignIn(deps, user))) throw new AppError('last_sign_in');
    const { providerId } = identity;
    await deleteSessionsOfProvider(trx, { providerId, userId: user.id, except: caller.sessionId });
    const provider = (await listProviders(deps)).find((each) => each.id === providerId);
    const providerName = provider?.name ?? UNKNOWN_PROVIDER;
    await announce(deps, user, { change: 'unlinked', providerName, request });
  });
}

/** Whether an account has a way to sign in: an identity, or a password, emailed link or passkey where those are allowed. */
async function canSignIn(deps: InTransaction, user: UserRow): Promise<boolean> {
  const providers = await listProviders(deps);
  const linked = new Set((await listIdentitiesOf(deps.db, user.id)).map(({ providerId }) => providerId));
  if (providers.some(({ id, isEnabled }) => isEnabled && linked.has(id))) return true;
  if (await findProviderInstead(deps, user)) return false;
  if (user.passwordHash !== UNKNOWN_USER_HASH || (await getSignInPolicy(deps)).emailSignIn) return true;
  return (await listFactorMethods(deps.db, user.id)).includes('passkey');
}

type Change = { change: IdentityChange; providerName: string; request: FastifyRequest };

async function announce(
  deps: InTransaction,
  user: UserRow,
  { change, providerName, request }: Change,
): Promise<void> {
  await recordAccountEvent(deps, {
    userId: user.id,
    kind: `identity-${change}`,
    request,
    details: { method: 'oidc', name: providerName },
  });
  const secureUrl = await createAlertLink(deps, user);
  const createdAt = deps.clock.now();
  await enqueueIdentityMail(deps.db, user, { change, providerName, secureUrl, createdAt });
}

/** So that the identity whose own mail reports it is deleted, although its mail was written a moment later. */
const SLACK_MS = MINUTE_MS;

/** Unlinks what was linked at or after `since`. The caller's transaction must hold the user's row lock. */
export async function unlinkIdentitiesAddedSince(trx: Trx, userId: string, since: Instant): Promise<void> {
  await deleteIdentitiesAddedSince(trx, userId, since - SLACK_MS);
}
