import { createHash } from 'node:crypto';
import type { SignInProvider } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import type { Context } from '../../../../context.ts';
import type { Db, Trx } from '../../../../platform/db/open.ts';
import type { IdentityProviderRow } from '../../../../platform/db/schema.ts';
import type { SealedColumn } from '../../../../platform/jobs/reseal-job.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { openSealedText, sealText } from '../../../../platform/lib/sealed-text.ts';
import { listProviderRows, lockProviderRow } from './provider-queries.ts';

const SECRET_PURPOSE = 'oidc-client-secret';

export const SEALED_CLIENT_SECRET: SealedColumn = {
  table: 'identityProviders',
  key: 'id',
  column: 'sealedSecret',
  purpose: SECRET_PURPOSE,
};

/** A provider of the environment or of the admin area. */
export type Provider = {
  id: string;
  source: 'environment' | 'admin';
  issuer: string;
  clientId: string;
  hasSecret: boolean;
  /** Null: a public client. Undefined: it cannot be opened because SESSION_SECRET was replaced. */
  openClientSecret(): string | null | undefined;
  name: string;
  domains: string[];
  mayCreateAccounts: boolean;
  isRequiredForDomains: boolean;
  trustsSecondFactor: boolean;
  isEnabled: boolean;
  createdAt: number | null;
  updatedAt: number | null;
};

type Deps = Pick<Context, 'config' | 'secret' | 'previousSecret'> & { db: Db };

/** The one of the environment first, then the oldest. */
export async function listProviders(deps: Deps): Promise<Provider[]> {
  const rows = await listProviderRows(deps.db);
  return [...ofEnvironment(deps), ...rows.map((row) => toProvider(deps, row))];
}

export async function findProvider(deps: Deps, id: string): Promise<Provider | undefined> {
  return (await listProviders(deps)).find((provider) => provider.id === id);
}

/** Throws AppError `provider_not_found`, also for one that is turned off. */
export async function getEnabledProvider(deps: Deps, id: string): Promise<Provider> {
  const provider = await findProvider(deps, id);
  if (!provider?.isEnabled) throw new AppError('provider_not_found');
  return provider;
}

/**
 * Locks a provider until the transaction ends, so that it cannot be deleted or turned off meanwhile. Returns undefined
 * if it already is.
 */
export async function lockEnabledProvider(
  deps: Omit<Deps, 'db'> & { db: Trx },
  id: string,
): Promise<Provider | undefined> {
  const fixed = ofEnvironment(deps).find((provider) => provider.id === id);
  const row = fixed ? undefined : await lockProviderRow(deps.db, id);
  const provider = fixed ?? (row && toProvider(deps, row));
  return provider?.isEnabled ? provider : undefined;
}

export async function listSignInProviders(deps: Deps): Promise<SignInProvider[]> {
  const providers = await listProviders(deps);
  return providers.filter(({ isEnabled }) => isEnabled).map(({ id, name }) => ({ id, name }));
}

export function sealClientSecret({ secret }: Pick<Deps, 'secret'>, clientSecret: string): string {
  return sealText({ secret, purpose: SECRET_PURPOSE }, clientSecret);
}

export function toProvider(
  { secret, previousSecret }: Pick<Deps, 'secret' | 'previousSecret'>,
  { sealedSecret, domains, ...row }: IdentityProviderRow,
): Provider {
  const sealing = { secret, previousSecret, purpose: SECRET_PURPOSE };
  return {
    ...row,
    source: 'admin',
    hasSecret: sealedSecret !== null,
    openClientSecret: () => (sealedSecret === null ? null : openSealedText(sealing, sealedSecret)),
    domains: JSON.parse(domains) as string[],
    mayCreateAccounts: row.mayCreateAccounts === 1,
    isRequiredForDomains: row.isRequiredForDomains === 1,
    trustsSecondFactor: row.trustsSecondFactor === 1,
    isEnabled: row.isEnabled === 1,
  };
}

/** The id follows from the issuer, so that accounts stay linked after a restart, and never to another issuer. */
function ofEnvironment({ config: { identityProvider } }: Pick<Deps, 'config'>): Provider[] {
  if (!identityProvider) return [];
  const { clientSecret = null, ...provider } = identityProvider;
  const id = createHash('sha256').update(`environment\n${provider.issuer}`).digest('hex').slice(0, 26);
  return [
    {
      id,
      source: 'environment',
      ...provider,
      hasSecret: clientSecret !== null,
      openClientSecret: () => clientSecret,
      trustsSecondFactor: false,
      isEnabled: true,
      createdAt: null,
      updatedAt: null,
    },
  ];
}
