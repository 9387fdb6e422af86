import Stripe from 'stripe';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PaymentEvent } from '../provider.ts';
import { idOf } from './references.ts';

const TOLERANCE_SECONDS = 300;

type Reference = string | { id: string } | null | undefined;
type Subject = {
  id?: string;
  object?: string;
  customer?: Reference;
  subscription?: Reference;
  charge?: Reference;
  parent?: { subscription_details?: { subscription?: Reference } | null } | null;
};

/**
 * Reads only ids, because events have the API version of the webhook's settings at Stripe, which may differ
 * from ours. Throws AppError `bad_webhook`.
 */
export function readStripeEvent(
  body: Buffer,
  { signature, webhookSecret, now }: { signature: string | undefined; webhookSecret: string; now: number },
): PaymentEvent {
  const event = verify(body, { signature, webhookSecret, now });
  const subject: Subject = event.data?.object ?? {};
  return {
    id: event.id,
    type: event.type,
    createdAt: event.created * SECOND_MS,
    ...toParties(subject),
  };
}

function verify(
  body: Buffer,
  { signature, webhookSecret, now }: { signature: string | undefined; webhookSecret: string; now: number },
): Stripe.Event {
  try {
    return Stripe.webhooks.constructEvent(
      body,
      signature ?? '',
      webhookSecret,
      TOLERANCE_SECONDS,
      undefined,
      now,
    );
  } catch (cause) {
    throw new AppError('bad_webhook', { cause });
  }
}

function toParties(subject: Subject): Pick<PaymentEvent, 'subscriptionId' | 'customerId' | 'paymentId'> {
  const customerId = idOf(subject.customer);
  const none = { subscriptionId: null, customerId: null, paymentId: null };
  switch (subject.object) {
    case 'subscription':
      return { ...none, subscriptionId: subject.id ?? null, customerId };
    case 'invoice': {
      const subscription = subject.parent?.subscription_details?.subscription ?? subject.subscription;
      return { ...none, subscriptionId: idOf(subscription), customerId };
    }
    case 'payment_intent':
    case 'setup_intent':
      return { ...none, customerId };
    case 'charge':
      return { ...none, customerId, paymentId: subject.id ?? null };
    case 'refund':
    case 'dispute':
      return { ...none, paymentId: idOf(subject.charge) };
    default:
      return none;
  }
}
