import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { WebhookDeliveryRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { failWaiting, findDueDelivery, findReceiver, holdNextTry, updateTried } from './delivery-queries.ts';
import { findNextDelay } from './schedule.ts';
import { sendOnce } from './sending.ts';
import { settle } from './settling.ts';

/** Webhooks that are sent to at the same time by one process; it waits for them, which costs nearly nothing. */
const RECEIVERS_AT_ONCE = 32;

/** Then others have a turn. */
const TRIES_PER_RUN = 25;

/**
 * Sends what is due to one webhook, one event after another: a slow receiver takes one place of this job's own, and
 * holds up neither other webhooks nor other work. Runs once at a time for each webhook, in all processes.
 */
export const deliverJob = defineJob<Context, { webhookId: string }>({
  name: 'webhooks.deliver',
  payload: z.object({ webhookId: z.string() }),
  ownPlaces: RECEIVERS_AT_ONCE,
  run: (context, { webhookId }, run) => deliver(context, webhookId, run),
});

const NOT_INCLUDED = 'Not sent: webhooks are not part of your plan at present.';
export const SWITCHED_OFF = 'Not sent: the webhook was switched off.';

async function deliver(context: Context, webhookId: string, run: JobRun): Promise<void> {
  for (let tries = 0; tries < TRIES_PER_RUN && !run.signal.aborted; tries += 1) {
    const webhook = await findReceiver(context.db, webhookId);
    if (!webhook) return;
    if (!webhook.isSending) {
      await failWaiting(context.db, webhookId, webhook.isActive === 1 ? NOT_INCLUDED : SWITCHED_OFF);
      return;
    }
    const delivery = await takeDueDelivery(context, webhookId);
    if (!delivery) break;
    try {
      const outcome = await sendOnce(context, { webhook, delivery, signal: run.signal });
      await settle(context, { webhook, delivery, outcome });
    } catch (error) {
      // The server stops: that was no try.
      await updateTried(context.db, delivery, {
        attempts: delivery.attempts - 1,
        nextTryAt: context.clock.now(),
      });
      if (!run.signal.aborted) throw error;
    }
  }
  await goOnWhenDue(context, webhookId);
}

/** Counts the try before it is made: after a crash it is made again as if it had failed, with the same id. */
async function takeDueDelivery(
  { db, clock }: Context,
  webhookId: string,
): Promise<WebhookDeliveryRow | undefined> {
  const now = clock.now();
  const due = await findDueDelivery(db, webhookId, now);
  if (!due) return undefined;
  const attempts = due.attempts + 1;
  const nextTryAt = now + (findNextDelay(attempts, Math.random()) ?? DAY_MS);
  const isTaken = await updateTried(db, due, { attempts, nextTryAt, lastTriedAt: now });
  return isTaken
    ? { ...due, attempts, nextTryAt, lastTriedAt: now }
    : takeDueDelivery({ db, clock } as Context, webhookId);
}

/** This very job runs again. */
async function goOnWhenDue({ db }: Context, webhookId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const runAt = await holdNextTry(trx, webhookId);
    if (runAt !== undefined) await enqueue(trx, deliverJob, { webhookId }, { uniqueKey: webhookId, runAt });
  });
}
