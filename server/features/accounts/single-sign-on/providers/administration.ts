import { z } from 'zod';
import {
  type AdminIdentityProvider,
  type CreateIdentityProviderInput,
  PROVIDERS_MAX,
  type ProviderTest,
  type UpdateIdentityProviderInput,
} from '../../../../../contracts/admin/identity-providers.ts';
import type { Context } from '../../../../context.ts';
import { isUniqueViolation } from '../../../../platform/db/engines/errors.ts';
import type { Trx } from '../../../../platform/db/open.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { toIsoOrNull } from '../../../../platform/lib/clock.ts';
import { randomId } from '../../../../platform/lib/tokens.ts';
import { lockAdmins } from '../../users/user-queries.ts';
import { isUnreachable } from '../flow/failures.ts';
import { deleteIdentitiesOfProvider, deleteSessionsOfProvider } from '../identities/identity-queries.ts';
import {
  fetchFromProvider,
  fetchMetadata,
  listAlgorithms,
  mayUseHttp,
  UnusableProvider,
} from './discovery.ts';
import { presentDomain } from './domains.ts';
import {
  countLinkedAccounts,
  deleteDomainRows,
  deleteOtherDomainRows,
  deleteProviderRow,
  insertProvider,
  listDomainRows,
  lockProviderRow,
  updateProviderRow,
} from './provider-queries.ts';
import { findProvider, listProviders, type Provider, sealClientSecret, toProvider } from './providers.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };
const TEST_MS = 5_000;

export async function listForAdmins(context: Context): Promise<AdminIdentityProvider[]> {
  const [providers, rows, accounts] = [
    await listProviders(context),
    await listDomainRows(context.db),
    await countLinkedAccounts(context.db),
  ];
  return providers.map(({ openClientSecret, domains, createdAt, updatedAt, ...provider }) => ({
    ...provider,
    domains: domains.map((domain) => presentDomain({ providerId: provider.id, domain }, rows)),
    linkedAccounts: accounts.get(provider.id) ?? 0,
    createdAt: toIsoOrNull(createdAt),
    updatedAt: toIsoOrNull(updatedAt),
  }));
}

/** Throws AppError `provider_not_found`. */
export async function getForAdmins(context: Context, id: string): Promise<AdminIdentityProvider> {
  const provider = (await listForAdmins(context)).find((each) => each.id === id);
  if (!provider) throw new AppError('provider_not_found');
  return provider;
}

/** Throws AppError `too_many_providers`, `provider_exists`, `invalid_input` (plain http). */
export async function createProvider(
  deps: InTransaction,
  { clientSecret, domains, ...input }: CreateIdentityProviderInput,
): Promise<Provider> {
  const { db: trx, clock, config } = deps;
  if (input.issuer.startsWith('http:') && !mayUseHttp(config))
    throw new AppError('invalid_input', { errors: { issuer: 'The issuer must begin with https://.' } });
  // So that parallel calls cannot exceed the limit.
  await lockAdmins(trx);
  const others = await listProviders(deps);
  if (others.length >= PROVIDERS_MAX)
    throw new AppError('too_many_providers', { details: { count: others.length } });
  if (others.some(({ issuer, clientId }) => issuer === input.issuer && clientId === input.clientId))
    throw new AppError('provider_exists');
  const now = clock.now();
  const row = await insertProvider(trx, {
    id: randomId(),
    issuer: input.issuer,
    clientId: input.clientId,
    name: input.name,
    sealedSecret: clientSecret ? sealClientSecret(deps, clientSecret) : null,
    domains: JSON.stringify(domains),
    ...flagsOf(input),
    createdAt: now,
    updatedAt: now,
  });
  return toProvider(deps, row);
}

/** Throws AppError `provider_not_found`, `provider_read_only`, `provider_exists`, `invalid_input`. */
export async function updateProvider(
  deps: InTransaction,
  id: string,
  { clientSecret, domains, name, clientId, ...flags }: UpdateIdentityProviderInput,
): Promise<Provider> {
  const { db: trx, clock } = deps;
  const before = await lockForChange(deps, id);
  const [isRequired, wanted] = [
    flags.isRequiredForDomains ?? before.isRequiredForDomains,
    domains ?? before.domains,
  ];
  if (isRequired && wanted.length === 0)
    throw new AppError('invalid_input', { errors: { domains: 'Please enter at least one domain' } });
  if (domains) await deleteOtherDomainRows(trx, id, domains);
  try {
    const row = await updateProviderRow(trx, id, {
      ...(name !== undefined && { name }),
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && {
        sealedSecret: clientSecret === null ? null : sealClientSecret(deps, clientSecret),
      }),
      ...(domains && { domains: JSON.stringify(domains) }),
      ...flagsOf(flags),
      updatedAt: clock.now(),
    });
    return toProvider(deps, row);
  } catch (error) {
    throw isUniqueViolation(error, 'identityProviders.issuer.clientId')
      ? new AppError('provider_exists')
      : error;
  }
}

/** Unlinks all accounts and ends the sessions that began with it. Throws as `updateProvider`. */
export async function deleteProvider(deps: InTransaction, id: string): Promise<Provider> {
  const { db: trx } = deps;
  const provider = await lockForChange(deps, id);
  await deleteProviderRow(trx, id);
  await deleteDomainRows(trx, id);
  await deleteIdentitiesOfProvider(trx, id);
  await deleteSessionsOfProvider(trx, { providerId: id });
  return provider;
}

async function lockForChange(deps: InTransaction, id: string): Promise<Provider> {
  const row = await lockProviderRow(deps.db, id);
  if (row) return toProvider(deps, row);
  throw new AppError((await findProvider(deps, id)) ? 'provider_read_only' : 'provider_not_found');
}

const FLAGS = ['mayCreateAccounts', 'isRequiredForDomains', 'trustsSecondFactor', 'isEnabled'] as const;
type Flags = Record<(typeof FLAGS)[number], 0 | 1>;

function flagsOf(input: Partial<Record<keyof Flags, boolean | undefined>>): Partial<Flags> {
  const given = FLAGS.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, input[name] ? 1 : 0]));
}

const Keys = z.object({ keys: z.array(z.object({})) });

/** Asks a provider about itself, past the cache. Never throws. */
export async function testProvider(context: Pick<Context, 'config'>, issuer: string): Promise<ProviderTest> {
  try {
    const metadata = await fetchMetadata(context, issuer);
    const problems = await findKeyProblems(metadata.jwks_uri!);
    return {
      isUsable: problems.length === 0,
      problems,
      authorizationEndpoint: metadata.authorization_endpoint ?? null,
      signingAlgorithms: listAlgorithms(metadata),
      supportsLogout: metadata.end_session_endpoint !== undefined,
      supportsBackchannelLogout: metadata.backchannel_logout_supported === true,
    };
  } catch (error) {
    return {
      isUsable: false,
      problems: [explain(error)],
      authorizationEndpoint: null,
      signingAlgorithms: [],
      supportsLogout: false,
      supportsBackchannelLogout: false,
    };
  }
}

async function findKeyProblems(jwksUri: string): Promise<string[]> {
  const response = await fetchFromProvider(jwksUri, { signal: AbortSignal.timeout(TEST_MS) });
  const keys = Keys.safeParse(await response.json().catch(() => undefined));
  return keys.success && keys.data.keys.length > 0
    ? []
    : ['The provider publishes no keys for its signatures.'];
}

function explain(error: unknown): string {
  if (error instanceof UnusableProvider) return error.message;
  if (isUnreachable(error)) return 'The provider can’t be reached.';
  return 'This address does not answer with an OpenID Connect discovery document.';
}
