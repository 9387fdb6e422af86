import type { z } from 'zod';
import {
  API_KEYS_MAX,
  type ApiKey,
  type CreateApiKeyInput,
  type UpdateApiKeyInput,
} from '../../../contracts/api-keys.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { lockAccount } from '../accounts/holding.ts';
import { requireFeature } from '../tiers/tiers.ts';
import { mintKey } from './key-format.ts';
import { presentKey } from './presenter.ts';
import {
  countKeys,
  deleteKeysOf,
  deleteOwnKey,
  insertKey,
  listKeysOf,
  type OwnKey,
  updateOwnKey,
} from './queries.ts';

/** A user's keys, the newest first; also those that a downgrade has put to rest. */
export async function listKeys({ db }: Pick<Context, 'db'>, userId: string): Promise<ApiKey[]> {
  return (await listKeysOf(db, userId)).map(presentKey);
}

/**
 * Makes a key. The plan is asked once more under the owner's lock, so that of a downgrade and of parallel calls
 * none slips through. The key itself is in this answer only. Throws AppError `tier_required`, `too_many_api_keys`,
 * `expiry_in_past`, `not_signed_in` (the account was deleted meanwhile).
 */
export async function createKey(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  owner: Pick<UserRow, 'id' | 'tier'>,
  { name, scopes, expiresAt }: z.output<typeof CreateApiKeyInput>,
): Promise<ApiKey & { key: string }> {
  requireFeature(owner.tier, 'apiKeys');
  const now = clock.now();
  const endsAt = expiresAt ? Date.parse(expiresAt) : null;
  if (endsAt !== null && endsAt <= now) throw new AppError('expiry_in_past');
  const { key, keyHash, prefix } = mintKey();
  const row = await transaction(db, async (trx) => {
    await requireRoomForOneMore(trx, owner.id);
    return insertKey(trx, {
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
  });
  return { ...presentKey(row), key };
}

async function requireRoomForOneMore(trx: Trx, userId: string): Promise<void> {
  const owner = await lockAccount(trx, userId);
  if (!owner) throw new AppError('not_signed_in');
  requireFeature(owner.tier, 'apiKeys');
  const count = await countKeys(trx, userId);
  if (count >= API_KEYS_MAX) throw new AppError('too_many_api_keys', { details: { count } });
}

/**
 * Renames a key or switches it, from the next call on. Whoever went down to free may still switch off, but not
 * on. Throws AppError `api_key_not_found`, also for somebody else's, and `tier_required`.
 */
export async function updateKey(
  { db }: Pick<Context, 'db'>,
  { id: userId, tier }: Pick<UserRow, 'id' | 'tier'>,
  { id, name, isActive }: Pick<OwnKey, 'id'> & z.output<typeof UpdateApiKeyInput>,
): Promise<ApiKey> {
  if (isActive) requireFeature(tier, 'apiKeys');
  const row = await updateOwnKey(
    db,
    { userId, id },
    { ...(name !== undefined && { name }), ...(isActive !== undefined && { isActive: isActive ? 1 : 0 }) },
  );
  if (!row) throw new AppError('api_key_not_found');
  return presentKey(row);
}

/** Throws AppError `api_key_not_found`, also for somebody else's. */
export async function deleteKey({ db }: Pick<Context, 'db'>, own: OwnKey): Promise<void> {
  if (!(await deleteOwnKey(db, own))) throw new AppError('api_key_not_found');
}

/** With the account go its keys. */
export function removeKeysOf(trx: Trx, userId: string): Promise<void> {
  return deleteKeysOf(trx, userId);
}
