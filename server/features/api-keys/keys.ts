import type { z } from 'zod';
import {
  API_KEYS_MAX,
  type ApiKey,
  type CreateApiKeyInput,
  type UpdateApiKeyInput,
} from '../../../contracts/accounts/api-keys.ts';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Identity } from '../../platform/http/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { lockCaller, offerSecuringOfMany } from '../accounts/index.ts';
import { requireFeature } from '../tiers/index.ts';
import { enqueueKeyCreatedMail } from './emails.ts';
import { mintKey } from './key-format.ts';
import { presentKey } from './presenter.ts';
import {
  countKeys,
  deleteKeysOf,
  deleteOwnKey,
  disableAllKeys,
  insertKey,
  listKeysOf,
  type OwnKey,
  updateOwnKey,
} from './queries.ts';

type Caller = Pick<Identity, 'user' | 'sessionId' | 'apiKey'>;

/** A user's keys, the newest first; also those that a downgrade or an account recovery disabled. */
export async function listKeys({ db }: Pick<Context, 'db'>, userId: string): Promise<ApiKey[]> {
  return (await listKeysOf(db, userId)).map(presentKey);
}

/**
 * Creates a key and mails its owner about it. The plan is checked again under the owner's lock, so that a downgrade,
 * parallel calls and an account recovery hold. The key itself is in this answer only. Throws AppError
 * `tier_required`, `too_many_api_keys`, `expiry_in_past`, `not_signed_in` (the session or the account has ended).
 */
export async function createKey(
  context: Context,
  caller: Caller,
  { name, scopes, expiresAt }: z.output<typeof CreateApiKeyInput>,
): Promise<ApiKey & { key: string }> {
  const { db, clock } = context;
  requireFeature(caller.user.tier, 'apiKeys');
  const now = clock.now();
  const endsAt = expiresAt ? Date.parse(expiresAt) : null;
  if (endsAt !== null && endsAt <= now) throw new AppError('expiry_in_past');
  const { key, keyHash, prefix } = mintKey();
  const row = await transaction(db, async (trx) => {
    const owner = await requireRoomForOneMore(trx, caller);
    const created = await insertKey(trx, {
      id: randomId(),
      userId: owner.id,
      name,
      keyHash,
      prefix,
      scopes: JSON.stringify(scopes),
      lastUsedAt: null,
      expiresAt: endsAt,
      createdAt: now,
    });
    const secureUrl = await offerSecuringOfMany({ ...context, db: trx }, owner, 'api-key');
    if (secureUrl) await enqueueKeyCreatedMail(trx, { owner, key: created, secureUrl });
    return created;
  });
  return { ...presentKey(row), key };
}

async function requireRoomForOneMore(trx: Trx, caller: Caller): Promise<UserRow> {
  const owner = await lockCaller(trx, caller);
  requireFeature(owner.tier, 'apiKeys');
  const count = await countKeys(trx, owner.id);
  if (count >= API_KEYS_MAX) throw new AppError('too_many_api_keys', { details: { count } });
  return owner;
}

/**
 * Renames a key, or enables or disables it from the next call on. After a downgrade to free a key can still be
 * disabled, but not enabled. Throws AppError `api_key_not_found`, also for somebody else's, `tier_required`, and
 * `not_signed_in` when the session has ended meanwhile.
 */
export async function updateKey(
  { db }: Pick<Context, 'db'>,
  caller: Caller,
  { id, name, isActive }: Pick<OwnKey, 'id'> & z.output<typeof UpdateApiKeyInput>,
): Promise<ApiKey> {
  if (isActive) requireFeature(caller.user.tier, 'apiKeys');
  const row = await transaction(db, async (trx) => {
    const { id: userId } = await lockCaller(trx, caller);
    return updateOwnKey(
      trx,
      { userId, id },
      {
        ...(name !== undefined && { name }),
        ...(isActive !== undefined && { isActive: isActive ? 1 : 0 }),
        ...(isActive && { recoveryReason: null, disabledAt: null }),
      },
    );
  });
  if (!row) throw new AppError('api_key_not_found');
  return presentKey(row);
}

/** Throws AppError `api_key_not_found`, also for somebody else's. */
export async function deleteKey({ db }: Pick<Context, 'db'>, own: OwnKey): Promise<void> {
  if (!(await deleteOwnKey(db, own))) throw new AppError('api_key_not_found');
}

/** Disables all of a user's keys, in the transaction of an account recovery that holds the user's row. */
export function disableKeysOf(
  trx: Trx,
  userId: string,
  recovery: { recoveryReason: RecoveryReason; disabledAt: number },
): Promise<void> {
  return disableAllKeys(trx, userId, recovery);
}

/** With the account go its keys. */
export function removeKeysOf(trx: Trx, userId: string): Promise<void> {
  return deleteKeysOf(trx, userId);
}
