import type { FastifyRequest } from 'fastify';
import { isOfDomain } from '../../../../../contracts/accounts/registration.ts';
import { lineUpTo } from '../../../../../contracts/values/fields.ts';
import type { Context } from '../../../../context.ts';
import type { Trx } from '../../../../platform/db/open.ts';
import type { UserRow } from '../../../../platform/db/schema.ts';
import { requestLanguage } from '../../../../platform/http/pages/wanted-languages.ts';
import { lockAccount, lockUserByEmail } from '../../users/user-queries.ts';
import { insertVerifiedAccount } from '../../users/verified-accounts.ts';
import { addIdentity, linkIdentity } from '../identities/identities.ts';
import { findIdentity, recordIdentityUse } from '../identities/identity-queries.ts';
import { isProvedDomain } from '../providers/provider-queries.ts';
import type { Provider } from '../providers/providers.ts';
import { listRequiredProviders } from '../providers/required.ts';
import { SsoFailure } from './failures.ts';
import type { ProvedIdentity } from './verify-answer.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };
type Admission = { provider: Provider; proved: ProvedIdentity; request: FastifyRequest };

const NAME_MAX = 100;

/**
 * The account as whom a proved identity signs in: the one it is linked to, or else the one that its confirmed email
 * address may link or create. Locks the user's row. Throws SsoFailure, and unique violations when another call was
 * first.
 */
export async function admit(
  deps: InTransaction,
  admission: Admission,
): Promise<{ user: UserRow; isNew: boolean }> {
  const { provider, proved } = admission;
  const { id: providerId, issuer } = provider;
  const identity = await findIdentity(deps.db, { providerId, issuer, subject: proved.subject });
  const found = identity
    ? { user: await lockLinked(deps, identity), isNew: false }
    : await admitNew(deps, admission);
  await requireRightProvider(deps, found.user, provider);
  return found;
}

async function lockLinked(
  { db: trx, clock }: InTransaction,
  { id, userId }: { id: string; userId: string },
): Promise<UserRow> {
  const user = await lockAccount(trx, userId);
  const isLinked = user && (await recordIdentityUse(trx, { id, userId, now: clock.now() }));
  if (!user || !isLinked) throw new SsoFailure('no-account');
  return user;
}

/**
 * An email address alone never links: providers let people enter any. It counts if the provider has confirmed it, and
 * links only an account in a domain whose owner has named this provider by a DNS record. An account whose address is
 * not verified is ignored, because somebody else may have registered it.
 */
async function admitNew(
  deps: InTransaction,
  { provider, proved, request }: Admission,
): Promise<{ user: UserRow; isNew: boolean }> {
  const { email, isEmailVerified } = proved;
  if (email === undefined || !isEmailVerified) throw new SsoFailure('email-unverified');
  const holder = await lockUserByEmail(deps.db, email.toLowerCase());
  if (holder?.emailVerified === 1) {
    if (!(await mayLinkByEmail(deps, holder, provider))) throw new SsoFailure('account-exists');
    await linkIdentity(deps, { user: holder, provider, proved }, request);
    return { user: holder, isNew: false };
  }
  if (!provider.mayCreateAccounts) throw new SsoFailure('no-account');
  if (provider.domains.length > 0 && !isOfDomain(email, provider.domains))
    throw new SsoFailure('domain-not-allowed');
  const name = lineUpTo(NAME_MAX).safeParse(proved.name).data;
  const user = await insertVerifiedAccount(deps, { email, name, language: requestLanguage(request) });
  await addIdentity(deps, { user, provider, proved });
  return { user, isNew: true };
}

async function mayLinkByEmail(
  { db }: Pick<InTransaction, 'db'>,
  { isAdmin, emailKey }: UserRow,
  { id: providerId, domains }: Provider,
): Promise<boolean> {
  const domain = emailKey.slice(emailKey.lastIndexOf('@') + 1);
  return isAdmin === 0 && domains.includes(domain) && isProvedDomain(db, { providerId, domain });
}

/** Another provider may be required for the account's domain. */
async function requireRightProvider(
  deps: InTransaction,
  { email, isAdmin }: UserRow,
  provider: Provider,
): Promise<void> {
  const required = isAdmin === 1 ? [] : await listRequiredProviders(deps, email);
  if (required.length > 0 && required.every(({ id }) => id !== provider.id))
    throw new SsoFailure('domain-not-allowed', 'other_provider_required');
}
