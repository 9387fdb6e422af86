import {
  type CreateWebhookInput,
  MAX_WEBHOOKS,
  OLD_SECRET_HOURS,
  type UpdateWebhookInput,
  type Webhook,
} from '../../../contracts/webhooks.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow, WebhookRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { OutgoingRefusal } from '../../platform/outgoing/refusal.ts';
import { findTarget } from '../../platform/outgoing/target.ts';
import { lockAccount } from '../accounts/holding.ts';
import { requireFeature } from '../tiers/tiers.ts';
import { SWITCHED_OFF } from './delivering.ts';
import { failWaiting } from './delivery-queries.ts';
import { presentWebhook } from './presenter.ts';
import {
  countWebhooks,
  deleteOwnWebhook,
  deleteWebhooksOf,
  findOwnWebhook,
  insertWebhook,
  listWebhooksOf,
  type OwnWebhook,
  replaceSecret,
  updateOwnWebhook,
} from './queries.ts';
import { makeSecret, readSecret } from './secrets.ts';

/** Calls of one user that make us look a host up or write to it, in a minute. */
const OUTGOING_PER_MINUTE = 60;

type WithSecret = Webhook & { secret: string };

/** A user's webhooks, the oldest first. */
export async function listWebhooks({ db, clock }: Context, userId: string): Promise<Webhook[]> {
  const rows = await listWebhooksOf(db, userId);
  return rows.map((row) => presentWebhook(row, clock.now()));
}

/**
 * Sets a webhook up; its secret is part of the answer. The plan is asked once more under the owner's lock. Throws
 * AppError `invalid_input` (a host that may not be written to), `tier_required`, `too_many_webhooks`,
 * `too_many_requests`, `not_signed_in` (the account was deleted meanwhile).
 */
export async function createWebhook(
  context: Context,
  user: Pick<UserRow, 'id'>,
  { url, events, description }: CreateWebhookInput,
): Promise<WithSecret> {
  const { db, clock } = context;
  await requireReceivable(context, user.id, url);
  const { shown, sealed } = makeSecret(context);
  const createdAt = clock.now();
  const row = await transaction(db, async (trx) => {
    await requireRoomForOneMore(trx, user.id);
    return insertWebhook(trx, {
      id: randomId(),
      userId: user.id,
      url,
      description: description || null,
      events: JSON.stringify(events),
      secret: sealed,
      createdAt,
    });
  });
  return { ...presentWebhook(row, createdAt), secret: shown };
}

async function requireRoomForOneMore(trx: Trx, userId: string): Promise<void> {
  const owner = await lockAccount(trx, userId);
  if (!owner) throw new AppError('not_signed_in');
  requireFeature(owner.tier, 'webhooks');
  const count = await countWebhooks(trx, userId);
  if (count >= MAX_WEBHOOKS) throw new AppError('too_many_webhooks', { details: { count } });
}

/** What makes us send on a user's command is counted. Throws AppError `too_many_requests`. */
export function takeOutgoing(context: Context, userId: string): Promise<void> {
  return takeTry(context, { key: `webhooks:${userId}`, limit: OUTGOING_PER_MINUTE, windowMs: MINUTE_MS });
}

async function requireReceivable(context: Context, userId: string, url: string): Promise<void> {
  await takeOutgoing(context, userId);
  await findTarget(url, { allowPrivate: context.config.webhookAllowPrivate }).catch((error: unknown) => {
    if (!(error instanceof OutgoingRefusal)) throw error;
    throw new AppError('invalid_input', { message: error.message, errors: { url: error.message } });
  });
}

/**
 * Changes a webhook: what is absent stays. Switched off, nothing that waits is sent any more; switched on or given
 * another address, it begins anew. Throws as `createWebhook`, and `webhook_not_found`.
 */
export async function updateWebhook(
  context: Context,
  own: OwnWebhook,
  { url, events, description, isActive }: UpdateWebhookInput,
): Promise<Webhook> {
  const { db, clock } = context;
  await getOwnWebhook(context, own);
  if (url !== undefined) await requireReceivable(context, own.userId, url);
  const beginsAnew = url !== undefined || isActive === true;
  const row = await transaction(db, async (trx) => {
    const changed = await updateOwnWebhook(trx, own, {
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: JSON.stringify(events) }),
      ...(description !== undefined && { description: description || null }),
      ...(isActive !== undefined && { isActive: isActive ? 1 : 0, disabledReason: null }),
      ...(beginsAnew && { failingSince: null }),
    });
    if (changed && isActive === false) await failWaiting(trx, changed.id, SWITCHED_OFF);
    return changed;
  });
  return presentWebhook(required(row), clock.now());
}

/** Deletes a webhook with its log. Throws AppError `webhook_not_found`. */
export async function deleteWebhook({ db }: Context, own: OwnWebhook): Promise<void> {
  if (!(await deleteOwnWebhook(db, own))) throw new AppError('webhook_not_found');
}

/** Throws AppError `webhook_not_found`, `conflict` (the server's own secret was changed). */
export async function getWebhookSecret(context: Context, own: OwnWebhook): Promise<{ secret: string }> {
  const secret = readSecret(context, (await getOwnWebhook(context, own)).secret);
  if (secret !== undefined) return { secret };
  throw new AppError('conflict', {
    message:
      'This secret can no longer be read, because the secret of this server has changed. Please rotate it.',
  });
}

/** Gives a new secret; the one before it signs along for a day. Throws AppError `webhook_not_found`. */
export async function rotateSecret(context: Context, own: OwnWebhook): Promise<WithSecret> {
  const { db, clock } = context;
  const { shown, sealed } = makeSecret(context);
  const now = clock.now();
  const oldSecretUntil = now + OLD_SECRET_HOURS * HOUR_MS;
  const row = await transaction(db, (trx) => replaceSecret(trx, own, { secret: sealed, oldSecretUntil }));
  return { ...presentWebhook(required(row), now), secret: shown };
}

/** Throws AppError `webhook_not_found` for an unknown and a foreign one alike. */
export async function getOwnWebhook({ db }: Pick<Context, 'db'>, own: OwnWebhook): Promise<WebhookRow> {
  return required(await findOwnWebhook(db, own));
}

function required(row: WebhookRow | undefined): WebhookRow {
  if (!row) throw new AppError('webhook_not_found');
  return row;
}

/** All of a user's that is deleted. */
export function removeWebhooksOf(trx: Trx, userId: string): Promise<void> {
  return deleteWebhooksOf(trx, userId);
}
