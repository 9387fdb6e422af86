import { API_BYTE_CALLS_PER_MINUTE, API_CALLS_PER_MINUTE } from '../../../contracts/api-keys.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import {
  type CallLimit,
  callLimitExceeded,
  createCallLimits,
  describeAllowance,
} from '../../platform/http/call-limits.ts';
import type { Authenticator } from '../../platform/http/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken } from '../../platform/lib/tokens.ts';
import { requireFeature } from '../tiers/tiers.ts';
import { isKeyShaped } from './key-format.ts';
import { readScopes } from './presenter.ts';
import { noteKeyUse, selectKeyWithOwner } from './queries.ts';

/** A key's last use is noted at most this often. */
const NOTE_EVERY_MS = MINUTE_MS;

type Found = { user: UserRow; keyId: string; keyScopes: string; keyUsedAt: number | null };

/** Tells the machine room whose key a call is made by. */
export function createKeyAuthenticator(context: Context): Pick<Authenticator, 'apiKey'> {
  const limits = createCallLimits(context);
  return {
    async apiKey({ reply }, token, { carriesBytes }) {
      const { user, keyId, keyScopes, keyUsedAt } = await findKey(context, token);
      const limit = limitFor(keyId, user, carriesBytes);
      const allowance = await limits.take(limit);
      if (allowance) reply.headers(describeAllowance(limit, allowance));
      if (allowance?.isUsedUp) throw callLimitExceeded(limit, allowance);
      const now = context.clock.now();
      if (now - (keyUsedAt ?? 0) >= NOTE_EVERY_MS)
        await noteKeyUse(context.db, { id: keyId, before: now - NOTE_EVERY_MS, now });
      return { user, sessionId: null, apiKey: { id: keyId, scopes: readScopes(keyScopes) } };
    },
  };
}

/**
 * A key that holds now, with its owner as the database has them now. It is looked up by its hash, so the time
 * that takes tells nothing about any key.
 */
async function findKey({ db, clock }: Pick<Context, 'db' | 'clock'>, token: string): Promise<Found> {
  const [row] = isKeyShaped(token) ? await selectKeyWithOwner(db, hashToken(token)) : [];
  if (!row) throw new AppError('api_key_unknown');
  const { keyId, keyScopes, keyExpiresAt, keyIsActive, keyUsedAt, ...user } = row;
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
