import { isOfDomain } from '../../../../../contracts/accounts/registration.ts';
import type { Context } from '../../../../context.ts';
import type { Db } from '../../../../platform/db/open.ts';
import type { UserRow } from '../../../../platform/db/schema.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { listProviders, type Provider } from './providers.ts';

type Deps = Pick<Context, 'config' | 'secret' | 'previousSecret'> & { db: Db };

/** Addresses of this domain must sign in with one of these providers. Empty if none is required. */
export async function listRequiredProviders(deps: Deps, email: string): Promise<Provider[]> {
  const providers = await listProviders(deps);
  return providers.filter(
    ({ isEnabled, isRequiredForDomains, domains }) =>
      isEnabled && isRequiredForDomains && isOfDomain(email, domains),
  );
}

export async function findRequiredProvider(deps: Deps, email: string): Promise<Provider | undefined> {
  return (await listRequiredProviders(deps, email))[0];
}

/**
 * The provider that an account must use instead of other ways to sign in. Administrators are exempt, so that they can
 * sign in while the provider is down.
 */
export async function findProviderInstead(
  deps: Deps,
  { email, isAdmin }: Pick<UserRow, 'email' | 'isAdmin'>,
): Promise<Provider | undefined> {
  return isAdmin === 1 ? undefined : findRequiredProvider(deps, email);
}

/**
 * Throws AppError `sso_required`, which names the provider. It depends on the domain alone, so that the answer doesn't
 * reveal whether an account exists.
 */
export async function requireNoSsoDomain(deps: Deps, email: string): Promise<void> {
  const provider = await findRequiredProvider(deps, email);
  if (provider) throw ssoRequired(provider);
}

/** Throws AppError `sso_required` for an account that has just proved another way in (`findProviderInstead`). */
export async function requireMaySignInWithoutSso(
  deps: Deps,
  user: Pick<UserRow, 'email' | 'isAdmin'>,
): Promise<void> {
  const provider = await findProviderInstead(deps, user);
  if (provider) throw ssoRequired(provider);
}

export function ssoRequired({ id, name }: Provider): AppError {
  return new AppError('sso_required', { details: { providerId: id, name } });
}
