import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  API_KEY_MARK,
  API_KEYS_MAX,
  type ApiKey,
  type CreateApiKeyInput,
  type UpdateApiKeyInput,
} from '../../../contracts/accounts/api-keys.ts';
import type { KeyScope } from '../../../contracts/endpoint.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { ApiKeyRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Identity } from '../../platform/http/routing/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { toOneLine } from '../../platform/mail/plain-text.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type MailReader, wordingIn } from '../../platform/mail/wording.ts';
import {
  alertBlocks,
  createLimitedAlertLink,
  lockCaller,
  recordAccountEvent,
  SECURITY_REASON,
} from '../accounts/index.ts';
import { requireFeature } from '../tiers/index.ts';
import { countKeys, deleteOwnKey, insertKey, listKeysOf, type OwnKey, updateOwnKey } from './queries.ts';

type Caller = Pick<Identity, 'user' | 'sessionId' | 'apiKey'> & { request?: FastifyRequest };
const SHAPE = /^swk_[0-9a-z]{26}$/;

/** The visible part: enough to recognize a key, too little to guess the rest. */
const PREFIX_LENGTH = API_KEY_MARK.length + 6;

const NAME_LENGTH = 80;

export async function listKeys({ db }: Pick<Context, 'db'>, userId: string): Promise<ApiKey[]> {
  return (await listKeysOf(db, userId)).map(presentKey);
}

/**
 * Creates a key and notifies its owner by email. Checks the plan again under the owner's row lock, because of
 * concurrent downgrades and account recoveries. Only this response contains the key itself. Throws AppError
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
    const secureUrl = await createLimitedAlertLink({ ...context, db: trx }, owner, 'api-key');
    const { request } = caller;
    const event = { userId: owner.id, kind: 'api-key-created', request, details: { name } } as const;
    await recordAccountEvent({ db: trx, clock }, event);
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
 * Changes apply from the key's next call. After a downgrade to free, a key can be disabled but not enabled. Throws
 * AppError `api_key_not_found`, also for other users' keys, `tier_required`, and `not_signed_in` when the session has
 * ended in the meantime.
 */
export async function updateKey(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  caller: Caller,
  { id, name, isActive }: Pick<OwnKey, 'id'> & z.output<typeof UpdateApiKeyInput>,
): Promise<ApiKey> {
  if (isActive) requireFeature(caller.user.tier, 'apiKeys');
  const row = await transaction(db, async (trx) => {
    const { id: userId } = await lockCaller(trx, caller);
    const changed = await updateOwnKey(
      trx,
      { userId, id },
      {
        ...(name !== undefined && { name }),
        ...(isActive !== undefined && { isActive: isActive ? 1 : 0 }),
        ...(isActive && { recoveryReason: null, disabledAt: null }),
      },
    );
    if (!changed) return undefined;
    const { request } = caller;
    const event = { userId, kind: 'api-key-changed', request, details: { name: changed.name } } as const;
    await recordAccountEvent({ db: trx, clock }, event);
    return changed;
  });
  if (!row) throw new AppError('api_key_not_found');
  return presentKey(row);
}

/** Throws AppError `api_key_not_found`, also for other users' keys. */
export async function deleteKey(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  own: OwnKey,
  request?: FastifyRequest,
): Promise<void> {
  await transaction(db, async (trx) => {
    if (!(await deleteOwnKey(trx, own))) throw new AppError('api_key_not_found');
    await recordAccountEvent({ db: trx, clock }, { userId: own.userId, kind: 'api-key-deleted', request });
  });
}

function presentKey(row: ApiKeyRow): ApiKey {
  const { id, name, prefix, scopes, isActive, lastUsedAt, expiresAt, createdAt, ...rest } = row;
  return {
    id,
    name,
    prefix,
    scopes: readScopes(scopes),
    lastUsedAt: toIsoOrNull(lastUsedAt),
    expiresAt: toIsoOrNull(expiresAt),
    isActive: isActive === 1,
    disabledReason: isActive === 1 ? null : rest.recoveryReason,
    disabledAt: isActive === 1 ? null : toIsoOrNull(rest.disabledAt),
    createdAt: toIso(createdAt),
  };
}

export function readScopes(stored: string): KeyScope[] {
  return JSON.parse(stored) as KeyScope[];
}

export function mintKey(): { key: string; keyHash: string; prefix: string } {
  const key = API_KEY_MARK + randomId();
  return { key, keyHash: hashToken(key), prefix: key.slice(0, PREFIX_LENGTH) };
}

export function isKeyShaped(text: string): boolean {
  return SHAPE.test(text);
}

type KeyCreatedMail = {
  owner: MailReader;
  key: Pick<ApiKeyRow, 'name' | 'prefix' | 'createdAt'>;
  /** From `createAlertLink`. */
  secureUrl: string;
};

export async function enqueueKeyCreatedMail(
  trx: Trx,
  { owner, key: { name, prefix, createdAt }, secureUrl }: KeyCreatedMail,
): Promise<void> {
  const wording = wordingIn(owner.language);
  const { t } = wording;
  await enqueueMail(trx, {
    kind: 'api-key-created',
    recipient: owner.email,
    subject: t('A new API key for your Sendwell account'),
    ...renderMail(wording, {
      preview: t('If that was you, there is nothing to do.'),
      title: t('A new API key was created'),
      blocks: [
        {
          kind: 'facts',
          facts: [
            { label: t('Name'), value: toOneLine(name, NAME_LENGTH) },
            { label: t('Begins with'), value: prefix },
            { label: t('When'), value: wording.formatInstant(createdAt) },
          ],
        },
        {
          kind: 'text',
          text: t('Anyone with this key can use your account. If that was you, there is nothing to do.'),
        },
        ...alertBlocks(wording, secureUrl),
      ],
      reason: t(SECURITY_REASON),
    }),
    userId: owner.id,
    createdAt,
  });
}
