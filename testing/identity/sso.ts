import assert from 'node:assert/strict';
import {
  beginSsoSignIn,
  SSO_CALLBACK_PATH,
  type SsoOutcome,
} from '../../contracts/accounts/sign-in/single-sign-on.ts';
import {
  type AdminIdentityProvider,
  createIdentityProvider,
} from '../../contracts/admin/identity-providers.ts';
import type { Client } from '../calls/client.ts';
import type { TestServer } from '../test-context.ts';
import { CLIENT_ID, type HostileProvider, type Person } from './hostile-provider.ts';

type Settings = Partial<{
  name: string;
  clientId: string;
  clientSecret: string | null;
  domains: string[];
  mayCreateAccounts: boolean;
  isRequiredForDomains: boolean;
  trustsSecondFactor: boolean;
}>;

/** Adds a provider as an administrator does. */
export async function addProvider(
  server: TestServer,
  { issuer }: { issuer: string },
  settings: Settings = {},
): Promise<AdminIdentityProvider> {
  const ada = await server.signIn('ada');
  const body = {
    issuer,
    name: 'Example ID',
    clientId: CLIENT_ID,
    clientSecret: 'a secret of the client',
    ...settings,
  };
  return ada.call(createIdentityProvider, { body });
}

/** Counts as proved, as after a look-up of the DNS record. */
export async function proveDomain(server: TestServer, providerId: string, domain: string): Promise<void> {
  const now = server.clock.now();
  const row = { providerId, domain, provedAt: now, checkedAt: now, problem: null };
  await server.context.db.insertInto('providerDomains').values(row).execute();
}

export async function begin(client: Client, providerId: string, returnTo?: string): Promise<string> {
  const { url } = await client.call(beginSsoSignIn, { body: { providerId, returnTo } });
  assert.ok(url);
  return url;
}

/** The provider sends the browser back. Returns the address of the page that opens. */
export async function comeBack(client: Client, parameters: URLSearchParams | string): Promise<string> {
  const response = await client.fetch(`${SSO_CALLBACK_PATH}?${parameters}`);
  assert.equal(response.status, 303, await response.text());
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const location = response.headers.get('location') ?? '';
  assert.match(location, /^\/(auth|dashboard|admin)/, 'a page of this server');
  return location;
}

export async function signInWith(
  client: Client,
  {
    provider,
    providerId,
    person,
    returnTo,
  }: { provider: HostileProvider; providerId: string; person: Person; returnTo?: string },
): Promise<string> {
  return comeBack(client, provider.authorize(await begin(client, providerId, returnTo), person));
}

export function outcomeOf(location: string): SsoOutcome | undefined {
  const outcome = new URL(location, 'http://localhost').searchParams.get('sso');
  return (outcome as SsoOutcome | null) ?? undefined;
}
