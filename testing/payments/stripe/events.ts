import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Wire } from './wire.ts';

/** The header `Stripe-Signature` (https://docs.stripe.com/webhooks/signature): HMAC-SHA256 of `{seconds}.{body}`. */
export function sign(body: string, { secret, now }: { secret: string; now: number }): string {
  const seconds = Math.floor(now / SECOND_MS);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

/** The events that Stripe sends for a change of an object. `before` is undefined for a new object. */
export function eventTypes(before: Wire | undefined, after: Wire): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  switch (after.object) {
    case 'subscription':
      return [`customer.subscription.${subscriptionChange(before as typeof after | undefined, after)}`];
    case 'invoice':
      return invoiceEvents(before as Wire<'invoice'> | undefined, after);
    case 'payment_intent':
      return intentEvents(before as Wire<'payment_intent'> | undefined, after);
    case 'setup_intent':
      return before && after.status === 'succeeded' ? ['setup_intent.succeeded'] : [];
    case 'charge':
      if (!before) return ['charge.succeeded'];
      return after.refunded ? ['charge.refunded'] : [];
    case 'subscription_schedule': {
      const change = after.status === 'active' ? 'updated' : after.status;
      return [`subscription_schedule.${before ? change : 'created'}`];
    }
    default:
      return [];
  }
}

function subscriptionChange(before: Wire<'subscription'> | undefined, after: Wire<'subscription'>): string {
  if (!before) return 'created';
  return after.status === 'canceled' && before.status !== 'canceled' ? 'deleted' : 'updated';
}

function invoiceEvents(before: Wire<'invoice'> | undefined, after: Wire<'invoice'>): string[] {
  const types = before ? [] : ['invoice.created'];
  const wasDraft = !before || before.status === 'draft';
  if (wasDraft && after.status !== 'draft') types.push('invoice.finalized');
  if (before?.status !== after.status) {
    if (after.status === 'paid') types.push('invoice.paid', 'invoice.payment_succeeded');
    if (after.status === 'void') types.push('invoice.voided');
  }
  const hasNewAttempt = (after.attempt_count ?? 0) > (before?.attempt_count ?? 0);
  if (hasNewAttempt && after.status === 'open') types.push('invoice.payment_failed');
  return types;
}

function intentEvents(before: Wire<'payment_intent'> | undefined, after: Wire<'payment_intent'>): string[] {
  const types = before ? [] : ['payment_intent.created'];
  if (after.last_payment_error && !before?.last_payment_error) types.push('payment_intent.payment_failed');
  if (before?.status !== after.status) {
    if (after.status === 'succeeded') types.push('payment_intent.succeeded');
    if (after.status === 'canceled') types.push('payment_intent.canceled');
  }
  return types;
}
