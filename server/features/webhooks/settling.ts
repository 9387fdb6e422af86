import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow, WebhookDeliveryRow, WebhookRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { failWaiting, updateTried } from './delivery-queries.ts';
import { enqueueDisabledMail } from './emails.ts';
import { disableWebhook, noteFailing, noteWorking } from './queries.ts';
import { findNextDelay, GIVE_UP_WEBHOOK_MS } from './schedule.ts';
import type { Outcome } from './sending.ts';

const GONE = 410;

type Try = {
  webhook: WebhookRow & Pick<UserRow, 'email'>;
  delivery: WebhookDeliveryRow;
  outcome: Outcome;
};

/**
 * Records the outcome of a try. Disables a webhook that wants no more, or that has failed for three days by a clock
 * that is trusted.
 */
export async function settle(context: Context, { webhook, delivery, outcome }: Try): Promise<void> {
  const { db, clock, clockGuard } = context;
  const isDelivered = outcome.error === null;
  const hasMore = !isDelivered && findNextDelay(delivery.attempts, 0) !== undefined;
  const isClockTrusted = isDelivered || (await clockGuard.findTrustedNow({ steadyMs: 0 })) !== undefined;
  await transaction(db, async (trx) => {
    await updateTried(trx, delivery, {
      ...describe(outcome),
      state: isDelivered ? 'delivered' : hasMore ? 'waiting' : 'failed',
      nextTryAt: hasMore ? delivery.nextTryAt : null,
    });
    if (isDelivered) return noteWorking(trx, webhook.id);
    const status = outcome.answer?.status;
    await heedFailure(trx, context, { webhook, status, now: clock.now(), isClockTrusted });
  });
}

type Failure = {
  webhook: Try['webhook'];
  status: number | undefined;
  now: number;
  isClockTrusted: boolean;
};

async function heedFailure(
  trx: Trx,
  { config }: Context,
  { webhook, status, now, isClockTrusted }: Failure,
): Promise<void> {
  const failingSince = await noteFailing(trx, { id: webhook.id, url: webhook.url, now });
  // Its owner has given it another address meanwhile: this failure is not of that.
  if (failingSince === undefined) return;
  const isFailing = isClockTrusted && now - failingSince >= GIVE_UP_WEBHOOK_MS;
  const reason = status === GONE ? 'gone' : isFailing ? 'failing' : undefined;
  if (!reason || !(await disableWebhook(trx, webhook.id, reason))) return;
  await failWaiting(trx, webhook.id, 'Not sent: the webhook has been switched off.');
  await enqueueDisabledMail(trx, {
    user: { id: webhook.userId, email: webhook.email },
    webhook,
    reason,
    publicUrl: config.publicUrl,
    createdAt: now,
  });
}

function describe({ url, headers, answer, error, durationMs }: Outcome) {
  return {
    requestUrl: url,
    requestHeaders: JSON.stringify(headers),
    status: answer?.status ?? null,
    error,
    durationMs,
    responseHeaders: answer ? JSON.stringify(answer.headers) : null,
    responseBody: answer?.body ?? null,
    isTruncated: answer?.isTruncated ? 1 : 0,
  } as const;
}
