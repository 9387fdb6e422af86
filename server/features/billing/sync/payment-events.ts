import { z } from 'zod';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { PaymentEvent } from '../../../platform/payments/provider.ts';
import { insertEvent, listOfCustomer } from '../queries.ts';
import { enqueueSync, syncSubscription } from './sync.ts';

/** Events without a subscription (refunds, disputes) sync all of the customer's subscriptions. */
export const syncPayerJob = defineJob<Context, { customerId: string | null; paymentId: string | null }>({
  name: 'sync-payer',
  payload: z.object({ customerId: z.string().nullable(), paymentId: z.string().nullable() }),
  async run(context, { customerId, paymentId }) {
    const { db, payments } = context;
    const payer = customerId ?? (paymentId === null ? undefined : await payments.findPayer(paymentId));
    if (payer === undefined) return;
    for (const id of await listOfCustomer(db, payer, payments.name)) await syncSubscription(context, id);
  },
});

/**
 * An event only triggers a sync, so the order, repetition and loss of events don't matter. Each event is handled once.
 * Throws AppError `bad_webhook`.
 */
export async function receiveEvent(
  { db, payments }: Context,
  body: Buffer,
  signature: string | undefined,
): Promise<void> {
  const event = payments.readEvent(body, signature);
  await transaction(db, async (trx) => {
    const { id, type, createdAt } = event;
    if (!(await insertEvent(trx, { id, type, createdAt }))) return;
    if (event.subscriptionId !== null) return enqueueSync(trx, event.subscriptionId);
    const uniqueKey = payerKey(event);
    if (uniqueKey === null) return;
    const { customerId, paymentId } = event;
    await enqueue(trx, syncPayerJob, { customerId, paymentId }, { uniqueKey });
  });
}

function payerKey({ customerId, paymentId }: PaymentEvent): string | null {
  return customerId ?? paymentId;
}
