import type { z } from 'zod';
import {
  DELIVERIES_PER_PAGE,
  DELIVERY_DAYS,
  type listWebhookDeliveries,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookEventType,
} from '../../../../contracts/accounts/webhooks.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { WebhookDeliveryRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../../platform/lib/cursor.ts';
import type { Header } from '../../../platform/outgoing/post.ts';
import { recordEvent } from '../events.ts';
import { composeMessageBody, formatOf, type Receiver } from '../formats/compose.ts';
import { findOwnWebhook, type OwnWebhook } from '../queries.ts';
import { claimOutgoing, getOwnWebhook } from '../webhooks.ts';
import { deliverJob } from './delivery.ts';
import {
  deleteDeliveriesBefore,
  findDelivery,
  findReceiver,
  listDeliveryRows,
  resetDelivery,
  type ShownDelivery,
} from './delivery-queries.ts';

const ORDER = 'newest';
const BATCH = 500;

type Query = z.output<NonNullable<typeof listWebhookDeliveries.query>>;

export async function listDeliveries(
  context: Context,
  own: OwnWebhook,
  query: Query,
): Promise<Page<WebhookDelivery>> {
  const { state, limit = DELIVERIES_PER_PAGE, cursor } = query;
  const after = readCursor(cursor, ORDER);
  await getOwnWebhook(context, own);
  const rows = await listDeliveryRows(context.db, { webhookId: own.id, state, after, limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: ORDER, limit });
  return { items: shown.map(presentDelivery), nextCursor };
}

export async function getDelivery(
  context: Context,
  own: OwnWebhook,
  deliveryId: string,
): Promise<WebhookDeliveryDetail> {
  const receiver = await findReceiver(context.db, (await getOwnWebhook(context, own)).id);
  const row = requireRow(await findDelivery(context.db, { webhookId: own.id, id: deliveryId }));
  if (!receiver) throw new AppError('webhook_not_found');
  return presentDeliveryDetail(row, receiver, context.config.publicUrl);
}

/**
 * Sends an event again immediately, with the same id and body and a full set of attempts. Throws AppError
 * `webhook_not_found`, `delivery_not_found`, `webhook_off`, `too_many_requests`.
 */
export async function replayDelivery(
  context: Context,
  own: OwnWebhook,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const { db, clock } = context;
  requireActive(await getOwnWebhook(context, own));
  await claimOutgoing(context, own.userId);
  const row = await transaction(db, async (trx) => {
    const revived = await resetDelivery(trx, { webhookId: own.id, id: deliveryId }, clock.now());
    if (revived) await enqueue(trx, deliverJob, { webhookId: own.id }, { uniqueKey: own.id });
    return revived;
  });
  return presentDelivery(requireRow(row));
}

export async function sendTest(context: Context, own: OwnWebhook): Promise<WebhookDelivery> {
  const { db, clock } = context;
  requireActive(await getOwnWebhook(context, own));
  await claimOutgoing(context, own.userId);
  const row = await transaction(db, async (trx) => {
    const webhook = await findOwnWebhook(trx, own);
    if (!webhook) throw new AppError('webhook_not_found');
    const id = await recordEvent(trx, {
      userId: own.userId,
      webhookId: own.id,
      event: {
        type: 'test',
        data: { webhookId: own.id, message: 'This is a test event from Sendwell.' },
      },
      now: clock.now(),
    });
    if (id === undefined) throw new AppError('webhook_off');
    return findDelivery(trx, { webhookId: own.id, id });
  });
  return presentDelivery(requireRow(row));
}

/** Deletes deliveries after 30 days. Does nothing while the clock isn't trusted. */
export async function sweepDeliveries(context: Context, { signal }: { signal: AbortSignal }): Promise<void> {
  const now = await context.clockGuard.findTrustedNow();
  if (now === undefined) return;
  const before = now - DELIVERY_DAYS * DAY_MS;
  while (!signal.aborted && (await deleteDeliveriesBefore(context.db, before, BATCH)) === BATCH);
}

function requireActive({ isActive }: { isActive: number }): void {
  if (isActive !== 1) throw new AppError('webhook_off');
}

function requireRow(row: WebhookDeliveryRow | undefined): WebhookDeliveryRow {
  if (!row) throw new AppError('delivery_not_found');
  return row;
}

function presentDelivery(row: ShownDelivery): WebhookDelivery {
  return {
    id: row.id,
    type: row.type as WebhookEventType,
    state: row.state,
    attempts: row.attempts,
    createdAt: toIso(row.createdAt),
    lastTriedAt: toIsoOrNull(row.lastTriedAt),
    nextTryAt: toIsoOrNull(row.nextTryAt),
    status: row.status,
    error: row.error,
    durationMs: row.durationMs,
  };
}

/** Before the first attempt, shows the request as it would be sent now. */
function presentDeliveryDetail(
  row: WebhookDeliveryRow,
  { url, language, ...webhook }: Receiver,
  publicUrl: string,
): WebhookDeliveryDetail {
  const { responseHeaders, responseBody, isTruncated } = row;
  const format = formatOf(webhook);
  const body =
    format === 'sendwell' ? row.body : composeMessageBody(format, { event: row.body, language, publicUrl });
  return {
    ...presentDelivery(row),
    request: { url: row.requestUrl ?? url, headers: parseHeaders(row.requestHeaders), body },
    response:
      responseHeaders === null
        ? null
        : {
            headers: parseHeaders(responseHeaders),
            body: responseBody ?? '',
            isTruncated: isTruncated === 1,
          },
  };
}

function parseHeaders(json: string | null): Header[] {
  return json === null ? [] : (JSON.parse(json) as Header[]);
}
