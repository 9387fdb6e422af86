import type { z } from 'zod';
import {
  DELIVERIES_PER_PAGE,
  DELIVERY_DAYS,
  listWebhookDeliveries,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
} from '../../../contracts/accounts/webhooks.ts';
import type { Context } from '../../context.ts';
import type { WebhookDeliveryRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { deliverJob } from './delivering.ts';
import {
  deleteDeliveriesBefore,
  reviveDelivery,
  selectDeliveries,
  selectDelivery,
} from './delivery-queries.ts';
import { noteEvent } from './events.ts';
import { presentDelivery, presentDeliveryDetail } from './presenter.ts';
import { findOwnWebhook, type OwnWebhook } from './queries.ts';
import { getOwnWebhook, takeOutgoing } from './webhooks.ts';

const ORDER = 'newest';
const BATCH = 500;

type Query = z.output<NonNullable<typeof listWebhookDeliveries.query>>;
type Page = {
  deliveries: WebhookDelivery[];
  /** Path and query of the next page; undefined when this is the last. */
  next: string | undefined;
};

/** The newest first. Throws AppError `webhook_not_found`, `invalid_input` for a cursor that is none of ours. */
export async function listDeliveries(context: Context, own: OwnWebhook, query: Query): Promise<Page> {
  const { state, limit = DELIVERIES_PER_PAGE, cursor } = query;
  const after = readCursor(cursor, ORDER);
  await getOwnWebhook(context, own);
  const rows = await selectDeliveries(context.db, { webhookId: own.id, state, after, limit: limit + 1 });
  const path = listWebhookDeliveries.path.replace(':id', own.id);
  const { shown, next } = cutPage(rows, { path, query, sort: ORDER, limit });
  return { deliveries: shown.map(presentDelivery), next };
}

/** Throws AppError `webhook_not_found`, `delivery_not_found`. */
export async function getDelivery(
  context: Context,
  own: OwnWebhook,
  deliveryId: string,
): Promise<WebhookDeliveryDetail> {
  const { url } = await getOwnWebhook(context, own);
  const row = await selectDelivery(context.db, { webhookId: own.id, id: deliveryId });
  return presentDeliveryDetail(required(row), url);
}

/**
 * Sends an event again at once: the same id and body, all tries anew. Throws AppError `webhook_not_found`,
 * `delivery_not_found`, `webhook_off`, `too_many_requests`.
 */
export async function replayDelivery(
  context: Context,
  own: OwnWebhook,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const { db, clock } = context;
  requireOn(await getOwnWebhook(context, own));
  await takeOutgoing(context, own.userId);
  const row = await transaction(db, async (trx) => {
    const revived = await reviveDelivery(trx, { webhookId: own.id, id: deliveryId }, clock.now());
    if (revived) await enqueue(trx, deliverJob, { webhookId: own.id }, { uniqueKey: own.id });
    return revived;
  });
  return presentDelivery(required(row));
}

/** Throws AppError `webhook_not_found`, `webhook_off`, `too_many_requests`. */
export async function sendTest(context: Context, own: OwnWebhook): Promise<WebhookDelivery> {
  const { db, clock } = context;
  requireOn(await getOwnWebhook(context, own));
  await takeOutgoing(context, own.userId);
  const row = await transaction(db, async (trx) => {
    const webhook = await findOwnWebhook(trx, own);
    if (!webhook) throw new AppError('webhook_not_found');
    const id = await noteEvent(trx, {
      userId: own.userId,
      webhookId: own.id,
      happening: {
        type: 'test',
        data: { webhookId: own.id, message: 'This is a test event from Sendwell.' },
      },
      now: clock.now(),
    });
    if (id === undefined) throw new AppError('webhook_off');
    return selectDelivery(trx, { webhookId: own.id, id });
  });
  return presentDelivery(required(row));
}

/** Removes deliveries after 30 days. Nothing goes while the clock is not trusted. */
export async function sweepDeliveries(context: Context, { signal }: { signal: AbortSignal }): Promise<void> {
  const now = await context.clockGuard.findTrustedNow();
  if (now === undefined) return;
  const before = now - DELIVERY_DAYS * DAY_MS;
  while (!signal.aborted && (await deleteDeliveriesBefore(context.db, before, BATCH)) === BATCH);
}

function requireOn({ isActive }: { isActive: number }): void {
  if (isActive !== 1) throw new AppError('webhook_off');
}

function required(row: WebhookDeliveryRow | undefined): WebhookDeliveryRow {
  if (!row) throw new AppError('delivery_not_found');
  return row;
}
