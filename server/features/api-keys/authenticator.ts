import type { FastifyRequest } from 'fastify';
import { API_BYTE_CALLS_PER_MINUTE, API_CALLS_PER_MINUTE } from '../../../contracts/accounts/api-keys.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import {
  type CallLimit,
  callLimitExceeded,
  createCallLimits,
  describeAllowance,
} from '../../platform/http/limits/call-limits.ts';
import { addressKey, claimFirstSighting, claimWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import type { Authenticator } from '../../platform/http/routing/identity.ts';
import { AppError, ignoreFullDisk } from '../../platform/lib/app-error.ts';
import { hashToken } from '../../platform/lib/tokens.ts';
import { requireFeature } from '../tiers/index.ts';
import { isKeyShaped, readScopes } from './keys.ts';
import { findKeyWithOwner, recordKeyUse } from './queries.ts';

const RECORD_EVERY_MS = MINUTE_MS;

/** After this time without use, an address counts as new again. */
const ADDRESS_REMEMBERED_MS = 30 * DAY_MS;
/** How long a process caches that an address is known. */
const SIGHTING_CACHED_MS = HOUR_MS;
const SIGHTINGS_CACHED = 10_000;
/** Limits the rows that one key can create by calls from many addresses. */
const SIGHTINGS_PER_KEY_AND_DAY = 1000;

type Found = { user: UserRow; keyId: string; keyScopes: string; keyUsedAt: number | null };

export function createKeyAuthenticator(context: Context): Pick<Authenticator, 'apiKey'> {
  const limits = createCallLimits(context);
  const sightings = new KeySightings(context);
  return {
    async apiKey({ request, reply }, token, { carriesBytes }) {
      const { user, keyId, keyScopes, keyUsedAt } = await findKey(context, request, token);
      const limit = limitFor(keyId, user, carriesBytes);
      const allowance = await limits.claim(limit);
      if (allowance) reply.headers(describeAllowance(limit, allowance));
      if (allowance?.isUsedUp) throw callLimitExceeded(limit, allowance);
      const now = context.clock.now();
      if (now - (keyUsedAt ?? 0) >= RECORD_EVERY_MS)
        await recordKeyUse(context.db, { id: keyId, before: now - RECORD_EVERY_MS, now });
      // Reads with a key must work on a full disk.
      if (await sightings.isNew(keyId, addressKey(request)).catch(ignoreFullDisk))
        context.security.record(request, 'api_key.new_address', { accountId: user.id, keyId });
      return { user, sessionId: null, apiKey: { id: keyId, scopes: readScopes(keyScopes) } };
    },
  };
}

/** Finds a valid key with its owner. The lookup is by hash, so its duration reveals nothing about other keys. */
async function findKey(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  request: FastifyRequest,
  token: string,
): Promise<Found> {
  const [row] = isKeyShaped(token) ? await findKeyWithOwner(db, hashToken(token)) : [];
  if (!row) throw new AppError('api_key_unknown');
  const { keyId, keyScopes, keyExpiresAt, keyIsActive, keyUsedAt, ...user } = row;
  request.accountId = user.id;
  if (keyIsActive === 0) throw new AppError('api_key_inactive');
  if (keyExpiresAt !== null && keyExpiresAt <= clock.now()) throw new AppError('api_key_expired');
  if (!user.emailVerified) throw new AppError('email_not_verified');
  requireFeature(user.tier, 'apiKeys');
  return { user, keyId, keyScopes, keyUsedAt };
}

function limitFor(keyId: string, { tier }: UserRow, carriesBytes: boolean): CallLimit {
  const name = carriesBytes ? 'bytes' : 'calls';
  const limit = carriesBytes ? API_BYTE_CALLS_PER_MINUTE : API_CALLS_PER_MINUTE[tier];
  return { name, key: `api-${name}:${keyId}`, limit, windowMs: MINUTE_MS };
}

/** Hashes that include the key's id, so that they match no address once the key is deleted. */
class KeySightings {
  readonly #deps: Pick<Context, 'db' | 'clock' | 'config'>;
  readonly #cachedUntil = new Map<string, number>();

  constructor(deps: Pick<Context, 'db' | 'clock' | 'config'>) {
    this.#deps = deps;
  }

  /** Returns true once if the key was not used from this address in the last 30 days, also with parallel calls. */
  async isNew(keyId: string, address: string): Promise<boolean> {
    const now = this.#deps.clock.now();
    const sighting = hashToken(`${keyId} ${address}`);
    if ((this.#cachedUntil.get(sighting) ?? 0) > now) return false;
    if (this.#cachedUntil.size >= SIGHTINGS_CACHED) this.#cachedUntil.clear();
    this.#cachedUntil.set(sighting, now + SIGHTING_CACHED_MS);
    const perKey = { key: `key-addresses:${keyId}`, limit: SIGHTINGS_PER_KEY_AND_DAY, windowMs: DAY_MS };
    if (await claimWithinLimit(this.#deps, perKey)) return false;
    const key = `key-address:${sighting}`;
    return claimFirstSighting(this.#deps, { key, windowMs: ADDRESS_REMEMBERED_MS });
  }
}
