import { createRemoteJWKSet, customFetch as customJwksFetch } from 'jose';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  getJwksCache,
  None,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../../contracts/values/durations.ts';
import { KIB } from '../../../../../contracts/values/sizes.ts';
import type { Config } from '../../../../config.ts';
import type { Context } from '../../../../context.ts';
import type { Db } from '../../../../platform/db/open.ts';
import { limitedFetch } from '../../../../platform/outgoing/limited-fetch.ts';
import { isUnreachable } from '../flow/failures.ts';
import type { Provider } from './providers.ts';

/** Seconds. */
const TIMEOUT = 5;
export const CLOCK_TOLERANCE = 60;
const MAX_RESPONSE_BYTES = 512 * KIB;
const FRESH_MS = HOUR_MS;
/** While the provider is down, an older document is used up to this age. */
const STALE_MS = 24 * HOUR_MS;
/** Pause after a failed request while an older document can be used. */
const RETRY_MS = MINUTE_MS;

/** Asymmetric algorithms: the client secret cannot sign. */
const ASYMMETRIC = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);

/** A provider that answers, but cannot be used. The message is a sentence for administrators. */
export class UnusableProvider extends Error {
  override name = 'UnusableProvider';
}

type Entry = {
  metadata: ServerMetadata;
  fetchedAt: number;
  retryAt: number;
  jwks: ReturnType<typeof getJwksCache>;
  /** For logout tokens. */
  keySet: KeySet | undefined;
};
type KeySet = ReturnType<typeof createRemoteJWKSet>;
type Cache = { entries: Map<string, Entry>; running: Map<string, Promise<ServerMetadata>> };
const caches = new WeakMap<Db, Cache>();

type Deps = Pick<Context, 'db' | 'clock' | 'config'>;

export const fetchFromProvider = limitedFetch(MAX_RESPONSE_BYTES);

/** Plain http only where Sendwell itself is served that way, as in development. */
export function mayUseHttp({ publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  return publicUrl.startsWith('http:');
}

/**
 * What the provider announces about itself: at most an hour old, or up to a day while it is down. Throws
 * UnusableProvider, and the errors of `openid-client`.
 */
async function findMetadata(deps: Deps, issuer: string): Promise<ServerMetadata> {
  const { entries } = cacheOf(deps.db);
  const known = entries.get(issuer);
  const now = deps.clock.now();
  const age = known ? now - known.fetchedAt : Number.POSITIVE_INFINITY;
  if (known && age >= 0 && (age < FRESH_MS || (age < STALE_MS && now < known.retryAt))) return known.metadata;
  try {
    return await refresh(deps, issuer);
  } catch (error) {
    if (!known || age >= STALE_MS || !isUnreachable(error)) throw error;
    known.retryAt = now + RETRY_MS;
    return known.metadata;
  }
}

/** Parallel callers share one request. */
function refresh(deps: Deps, issuer: string): Promise<ServerMetadata> {
  const { entries, running } = cacheOf(deps.db);
  const begun = running.get(issuer);
  if (begun) return begun;
  const fetching = fetchMetadata(deps, issuer)
    .then((metadata) => {
      const jwks = entries.get(issuer)?.jwks;
      entries.set(issuer, { metadata, fetchedAt: deps.clock.now(), retryAt: 0, jwks, keySet: undefined });
      return metadata;
    })
    .finally(() => running.delete(issuer));
  running.set(issuer, fetching);
  return fetching;
}

/** Fetches and checks the discovery document, past the cache. */
export async function fetchMetadata(
  { config }: Pick<Deps, 'config'>,
  issuer: string,
): Promise<ServerMetadata> {
  const isHttpAllowed = mayUseHttp(config);
  if (!isHttpAllowed && !issuer.startsWith('https:'))
    throw new UnusableProvider('The issuer must begin with https://.');
  const found = await discovery(new URL(issuer), 'none', undefined, None(), {
    [customFetch]: fetchFromProvider,
    timeout: TIMEOUT,
    execute: isHttpAllowed ? [allowInsecureRequests] : [],
  });
  const metadata: ServerMetadata = found.serverMetadata();
  checkMetadata(metadata, { issuer, isHttpAllowed });
  return Object.assign(metadata, { id_token_signing_alg_values_supported: listAlgorithms(metadata) });
}

/** The asymmetric algorithms that the provider announces. */
export function listAlgorithms({
  id_token_signing_alg_values_supported: announced,
}: ServerMetadata): string[] {
  return (announced ?? ['RS256']).filter((algorithm) => ASYMMETRIC.has(algorithm));
}

function checkMetadata(
  metadata: ServerMetadata,
  { issuer, isHttpAllowed }: { issuer: string; isHttpAllowed: boolean },
): void {
  // The library accepts a missing or additional slash, and the tenants of Microsoft.
  if (metadata.issuer !== issuer)
    throw new UnusableProvider(
      `The provider calls itself ${metadata.issuer}. Enter exactly that as the issuer.`,
    );
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = metadata[name];
    if (typeof address !== 'string' || !URL.canParse(address))
      throw new UnusableProvider(`The provider announces no ${name}.`);
    const { protocol } = new URL(address);
    if (protocol !== 'https:' && !(isHttpAllowed && protocol === 'http:'))
      throw new UnusableProvider(`The provider’s ${name} does not begin with https://.`);
  }
  if (metadata.response_types_supported?.includes('code') === false)
    throw new UnusableProvider('The provider does not support the authorization code flow.');
  if (listAlgorithms(metadata).length === 0)
    throw new UnusableProvider('The provider does not sign ID tokens with an asymmetric algorithm.');
}

/** For one exchange with the provider. Throws what `findMetadata` throws. */
export async function configure(deps: Deps, provider: Provider): Promise<Configuration> {
  const { issuer, clientId } = provider;
  const metadata = await findMetadata(deps, issuer);
  const clientSecret = provider.openClientSecret();
  if (clientSecret === undefined)
    throw new UnusableProvider('The client secret cannot be read because SESSION_SECRET was replaced.');
  const authentication = clientSecret === null ? None() : authenticateWith(metadata, clientSecret);
  const client = { [clockTolerance]: CLOCK_TOLERANCE };
  const configuration = new Configuration(metadata, clientId, client, authentication);
  configuration[customFetch] = fetchFromProvider;
  configuration.timeout = TIMEOUT;
  // The library verifies the signatures of ID tokens only with this.
  enableNonRepudiationChecks(configuration);
  if (mayUseHttp(deps.config)) allowInsecureRequests(configuration);
  const jwks = cacheOf(deps.db).entries.get(issuer)?.jwks;
  if (jwks) setJwksCache(configuration, jwks);
  return configuration;
}

/** `client_secret_basic` is the default of OpenID Connect Discovery. */
function authenticateWith(
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
) {
  const isPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return isPost ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}

/** Keeps the keys that were fetched during an exchange. */
export function keepKeys({ db }: Pick<Deps, 'db'>, { issuer }: Provider, configuration: Configuration): void {
  const entry = cacheOf(db).entries.get(issuer);
  if (entry) entry.jwks = getJwksCache(configuration) ?? entry.jwks;
}

/** The keys and algorithms with which a provider signs. Throws what `findMetadata` throws. */
export async function findKeys(deps: Deps, issuer: string): Promise<{ keys: KeySet; algorithms: string[] }> {
  const metadata = await findMetadata(deps, issuer);
  const entry = cacheOf(deps.db).entries.get(issuer);
  const keys =
    entry?.keySet ??
    createRemoteJWKSet(new URL(metadata.jwks_uri!), {
      [customJwksFetch]: fetchFromProvider,
      timeoutDuration: TIMEOUT * SECOND_MS,
    });
  if (entry) entry.keySet = keys;
  return { keys, algorithms: listAlgorithms(metadata) };
}

function cacheOf(db: Db): Cache {
  const cache = caches.get(db) ?? { entries: new Map(), running: new Map() };
  caches.set(db, cache);
  return cache;
}
