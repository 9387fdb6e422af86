import type { FastifyRequest } from 'fastify';
import type { AccountEventKind } from '../../../contracts/accounts/events.ts';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import {
  findAddressProblem,
  hasAccessToken,
  type WebhookFormat,
} from '../../../contracts/accounts/webhook-formats.ts';
import {
  type CreateWebhookInput,
  MAX_WEBHOOKS,
  OLD_SECRET_HOURS,
  type UpdateWebhookInput,
  type Webhook,
  type WebhookEvent,
} from '../../../contracts/accounts/webhooks.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow, WebhookRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import type { Identity } from '../../platform/http/routing/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { OutgoingRefusal } from '../../platform/outgoing/refusal.ts';
import { findTarget } from '../../platform/outgoing/target.ts';
import { createLimitedAlertLink, lockCaller, recordAccountEvent } from '../accounts/index.ts';
import { requireFeature } from '../tiers/index.ts';
import { WEBHOOK_DISABLED } from './delivery/delivery.ts';
import { failWaiting } from './delivery/delivery-queries.ts';
import { enqueueWebhookCreatedMail } from './emails.ts';
import { formatOf } from './formats/compose.ts';
import {
  type MessageTarget,
  maskAddress,
  normaliseTarget,
  openTarget,
  sealTarget,
} from './formats/target.ts';
import {
  countWebhooks,
  deleteOwnWebhook,
  disableAllWebhooks,
  findOwnWebhook,
  insertWebhook,
  listWebhooksOf,
  type OwnWebhook,
  replaceSecret,
  updateOwnWebhook,
} from './queries.ts';
import { makeSecret, readSecret } from './secrets.ts';

/** Requests per user and minute that make the server look up or contact a host. */
const OUTGOING_PER_MINUTE = 60;

type Caller = Pick<Identity, 'user' | 'sessionId' | 'apiKey'> & { request?: FastifyRequest };
type WithSecret = Webhook & { secret: string };
type Created = Webhook & { secret: string | null };

export async function listWebhooks(context: Context, userId: string): Promise<Webhook[]> {
  const rows = await listWebhooksOf(context.db, userId);
  return rows.map((row) => presentWebhook(context, row, context.clock.now()));
}

/**
 * Creates a webhook and notifies its owner by email; the response contains its secret. Checks the plan again under the
 * owner's lock. Throws AppError `invalid_input` (a host that is not allowed), `tier_required`, `too_many_webhooks`,
 * `too_many_requests`, and `not_signed_in` or `api_key_inactive` if the caller's access has ended in the meantime.
 */
export async function createWebhook(
  context: Context,
  caller: Caller,
  { format, url: wantedUrl, accessToken, events, description }: CreateWebhookInput,
): Promise<Created> {
  const { db, clock } = context;
  await requireAllowedTarget(context, caller.user.id, wantedUrl);
  const address = sealAddress(context, format, { url: wantedUrl, accessToken: accessToken || null });
  const { shown, sealed } = makeSecret(context);
  const createdAt = clock.now();
  const row = await transaction(db, async (trx) => {
    const owner = await requireWebhookLimit(trx, caller);
    const created = await insertWebhook(trx, {
      id: randomId(),
      userId: owner.id,
      format: format === 'sendwell' ? null : format,
      ...address,
      description: description || null,
      events: JSON.stringify(events),
      secret: sealed,
      createdAt,
    });
    await recordWebhookEvent({ ...context, db: trx }, created, 'webhook-created', caller.request);
    const secureUrl = await createLimitedAlertLink({ ...context, db: trx }, owner, 'webhook');
    if (secureUrl) await enqueueWebhookCreatedMail(trx, { owner, webhook: created, secureUrl });
    return created;
  });
  return { ...presentWebhook(context, row, createdAt), secret: format === 'sendwell' ? shown : null };
}

/** The columns of an address. */
function sealAddress(
  context: Pick<Context, 'secret'>,
  format: WebhookFormat,
  wanted: MessageTarget,
): Pick<WebhookRow, 'url' | 'sealedTarget'> {
  if (format === 'sendwell') return { url: wanted.url, sealedTarget: null };
  const target = normaliseTarget(format, wanted);
  return { url: maskAddress(format, target.url), sealedTarget: sealTarget(context, target) };
}

async function requireWebhookLimit(trx: Trx, caller: Caller): Promise<UserRow> {
  const owner = await lockCaller(trx, caller);
  requireFeature(owner.tier, 'webhooks');
  const count = await countWebhooks(trx, owner.id);
  if (count >= MAX_WEBHOOKS) throw new AppError('too_many_webhooks', { details: { count } });
  return owner;
}

/** Limits requests that make the server contact a host. Throws AppError `too_many_requests`. */
export function claimOutgoing(context: Context, userId: string): Promise<void> {
  return requireWithinLimit(context, {
    key: `webhooks:${userId}`,
    limit: OUTGOING_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
}

async function requireAllowedTarget(context: Context, userId: string, url: string): Promise<void> {
  await claimOutgoing(context, userId);
  const { webhookAllowPrivate: allowPrivate, webhookHosts: allowedHosts } = context.config;
  await findTarget(url, { allowPrivate, allowedHosts }).catch((error: unknown) => {
    if (!(error instanceof OutgoingRefusal)) throw error;
    throw invalidField('url', error.message);
  });
}

/**
 * Absent fields keep their value. Disabling a webhook drops waiting deliveries; enabling it or changing its URL clears
 * earlier failures. Throws what `createWebhook` throws and AppError `webhook_not_found`.
 */
export async function updateWebhook(
  context: Context,
  caller: Caller,
  { id, url, accessToken, events, description, isActive }: UpdateWebhookInput & { id: string },
): Promise<Webhook> {
  const { db, clock } = context;
  const own = { userId: caller.user.id, id };
  // Refuse a wrong address before its host is looked up.
  changeAddress(context, await getOwnWebhook(context, own), { url, accessToken });
  if (url !== undefined) await requireAllowedTarget(context, own.userId, url);
  const row = await transaction(db, async (trx) => {
    await lockCaller(trx, caller);
    // Another call may have changed the other part of the address meanwhile.
    const before = requireRow(await findOwnWebhook(trx, own));
    const address = changeAddress(context, before, { url, accessToken });
    const resetsFailures = address !== undefined || isActive === true;
    const changed = await updateOwnWebhook(trx, own, {
      ...address,
      ...(events !== undefined && { events: JSON.stringify(events) }),
      ...(description !== undefined && { description: description || null }),
      ...(isActive !== undefined && { isActive: isActive ? 1 : 0, disabledReason: null }),
      ...(isActive && { recoveryReason: null, disabledAt: null }),
      ...(resetsFailures && { failingSince: null }),
    });
    if (changed && isActive === false) await failWaiting(trx, changed.id, WEBHOOK_DISABLED);
    if (changed) await recordWebhookEvent({ db: trx, clock }, changed, 'webhook-changed', caller.request);
    return changed;
  });
  return presentWebhook(context, requireRow(row), clock.now());
}

/** Undefined if neither part of the address changes. The other part stays. Throws AppError `invalid_input`. */
function changeAddress(
  context: Context,
  webhook: WebhookRow,
  { url, accessToken }: Pick<UpdateWebhookInput, 'url' | 'accessToken'>,
): Pick<WebhookRow, 'url' | 'sealedTarget'> | undefined {
  const format = formatOf(webhook);
  if (url === undefined && (accessToken === undefined || !hasAccessToken(format))) return undefined;
  const old = openTarget(context, webhook);
  const wantedUrl = url ?? old?.url;
  if (wantedUrl === undefined) throw invalidField('url', 'Please enter the address again.');
  const problem = findAddressProblem(format, wantedUrl);
  if (problem) throw invalidField('url', problem);
  const wanted = {
    url: wantedUrl,
    accessToken: accessToken === undefined ? (old?.accessToken ?? null) : accessToken || null,
  };
  if (format === 'gotify' && !normaliseTarget(format, wanted).accessToken)
    throw invalidField('accessToken', 'Please enter the token of the app that you created in Gotify.');
  return sealAddress(context, format, wanted);
}

function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_input', { message, errors: { [field]: message } });
}

export async function deleteWebhook(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  own: OwnWebhook,
  request?: FastifyRequest,
): Promise<void> {
  await transaction(db, async (trx) => {
    const row = requireRow(await findOwnWebhook(trx, own));
    if (!(await deleteOwnWebhook(trx, own))) throw new AppError('webhook_not_found');
    await recordWebhookEvent({ db: trx, clock }, row, 'webhook-deleted', request);
  });
}

function recordWebhookEvent(
  deps: Pick<Context, 'clock'> & { db: Trx },
  { userId, url }: Pick<WebhookRow, 'userId' | 'url'>,
  kind: AccountEventKind,
  request: FastifyRequest | undefined,
): Promise<void> {
  // The path and query of the URL may contain secrets.
  return recordAccountEvent(deps, { userId, kind, request, details: { name: new URL(url).host } });
}

/** Throws AppError `webhook_not_found`, `webhook_unsigned`, and `conflict` if SESSION_SECRET was changed. */
export async function getWebhookSecret(context: Context, own: OwnWebhook): Promise<{ secret: string }> {
  const webhook = await getOwnWebhook(context, own);
  requireSigned(webhook);
  const secret = readSecret(context, webhook.secret);
  if (secret !== undefined) return { secret };
  throw new AppError('conflict', {
    message:
      'This secret can no longer be read, because the secret of this server has changed. Please rotate it.',
  });
}

function requireSigned(webhook: WebhookRow): void {
  if (formatOf(webhook) !== 'sendwell') throw new AppError('webhook_unsigned');
}

/** The old secret also signs for a day. Throws AppError `webhook_not_found`, `webhook_unsigned`. */
export async function rotateSecret(
  context: Context,
  own: OwnWebhook,
  request?: FastifyRequest,
): Promise<WithSecret> {
  const { db, clock } = context;
  requireSigned(await getOwnWebhook(context, own));
  const { shown, sealed } = makeSecret(context);
  const now = clock.now();
  const oldSecretUntil = now + OLD_SECRET_HOURS * HOUR_MS;
  const row = await transaction(db, async (trx) => {
    const changed = await replaceSecret(trx, own, { secret: sealed, oldSecretUntil });
    if (changed) await recordWebhookEvent({ db: trx, clock }, changed, 'webhook-secret-rotated', request);
    return changed;
  });
  return { ...presentWebhook(context, requireRow(row), now), secret: shown };
}

/** Throws AppError `webhook_not_found`, also for other users' webhooks. */
export async function getOwnWebhook({ db }: Pick<Context, 'db'>, own: OwnWebhook): Promise<WebhookRow> {
  return requireRow(await findOwnWebhook(db, own));
}

function requireRow(row: WebhookRow | undefined): WebhookRow {
  if (!row) throw new AppError('webhook_not_found');
  return row;
}

/** Drops the waiting deliveries and returns how many webhooks were active. Call it in the transaction of an account recovery, which has locked the user's row. */
export async function disableWebhooksOf(
  trx: Trx,
  userId: string,
  recovery: { recoveryReason: RecoveryReason; disabledAt: number },
): Promise<number> {
  const ids = await disableAllWebhooks(trx, userId, recovery);
  for (const id of ids) await failWaiting(trx, id, WEBHOOK_DISABLED);
  return ids.length;
}

function presentWebhook(context: Context, row: WebhookRow, now: number): Webhook {
  const isOldSecretValid = row.oldSecretUntil !== null && row.oldSecretUntil > now;
  return {
    id: row.id,
    format: formatOf(row),
    url: row.url,
    hasAccessToken: Boolean(openTarget(context, row)?.accessToken),
    description: row.description,
    events: JSON.parse(row.events) as WebhookEvent[],
    isActive: row.isActive === 1,
    disabledReason: row.isActive === 1 ? null : (row.recoveryReason ?? row.disabledReason),
    disabledAt: row.isActive === 1 ? null : toIsoOrNull(row.disabledAt),
    failingSince: toIsoOrNull(row.failingSince),
    oldSecretUntil: isOldSecretValid ? toIsoOrNull(row.oldSecretUntil) : null,
    createdAt: toIso(row.createdAt),
  };
}
