import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { amountOf, type DemoRow, type Plan } from '../../../server/platform/payments/demo/lifecycle.ts';
import {
  currentSchedule,
  DRAFT_MS,
  type Invoice,
  isExpired,
  RETRIES_MS,
  type Schedule,
  type Subscription,
  WANTS_CONFIRMATION_LATER,
} from './records.ts';
import type { Wire } from './wire.ts';

/** The part of the account that the objects of a subscription depend on. */
type Account = { now(): number; list(kind: 'price'): Wire<'price'>[] };

const DECLINE = { code: 'card_declined', message: 'Your card was declined.', type: 'card_error' } as const;

/** Converts a subscription into Stripe's objects, in the order in which their events are sent. */
export function objectsOf(account: Account, subscription: Subscription): Wire[] {
  return [
    ...toPaymentMethods(subscription),
    ...(subscription.setup ? [toSetupIntent(subscription)] : []),
    ...subscription.invoices.flatMap((invoice) => toInvoiceObjects(account, subscription, invoice)),
    ...subscription.schedules.map((schedule) => toSchedule(account, subscription, schedule)),
    toSubscription(account, subscription),
  ];
}

function toSubscription(account: Account, subscription: Subscription): Wire<'subscription'> {
  const { row, invoices, metadata, discountId, setup, upgrade } = subscription;
  const { id } = row;
  return {
    id,
    object: 'subscription',
    created: seconds(row.createdAt),
    billing_cycle_anchor: seconds(row.freeUntil ?? row.createdAt),
    cancel_at_period_end: row.cancelAtPeriodEnd === 1,
    canceled_at: secondsOrNull(row.endedAt),
    customer: row.customerId,
    default_payment_method: row.cardLast4 === null ? null : methodId(row, row.cardLast4),
    discounts: discountId === null ? [] : [discountId],
    ended_at: secondsOrNull(row.endedAt),
    items: {
      object: 'list',
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
      data: [
        {
          id: siblingId(id, 'si'),
          object: 'subscription_item',
          current_period_start: seconds(row.periodStartsAt),
          current_period_end: seconds(row.periodEndsAt),
          price: findPrice(account, row),
          quantity: 1,
          subscription: id,
        },
      ],
    },
    latest_invoice: invoices.at(-1)!.id,
    metadata,
    pending_setup_intent: setup && row.cardLast4 === null ? siblingId(id, 'seti') : null,
    pending_update: upgrade && {
      expires_at: seconds(upgrade.expiresAt),
      trial_end: upgrade.endsTrial ? seconds(upgrade.row.periodStartsAt) : null,
      subscription_items: [{ price: findPrice(account, upgrade.row) }],
    },
    schedule: currentSchedule(subscription)?.id ?? null,
    status: toStatus(subscription, account.now()),
    trial_start: row.freeUntil === null ? null : seconds(row.createdAt),
    trial_end: secondsOrNull(row.freeUntil),
  };
}

/** At Stripe a free period is running with or without a card, and a renewal fails only when it is charged. */
function toStatus(subscription: Subscription, now: number): Wire<'subscription'>['status'] {
  const { row } = subscription;
  switch (row.status) {
    case 'incomplete':
      if (row.freeUntil !== null) return 'trialing';
      return amountOf(row) > 0 ? 'incomplete' : 'active';
    case 'past_due':
      return now < row.failedAt! + DRAFT_MS ? 'active' : 'past_due';
    case 'ended':
      return isExpired(subscription) ? 'incomplete_expired' : 'canceled';
    default:
      return row.status;
  }
}

function toPaymentMethods({ row, setup }: Subscription): Wire<'payment_method'>[] {
  const cards = new Set([row.cardLast4, setup?.cardLast4 ?? null]);
  return [...cards].flatMap((last4) =>
    last4 === null
      ? []
      : {
          id: methodId(row, last4),
          object: 'payment_method',
          type: 'card',
          card: { brand: 'visa', last4 },
          customer: row.customerId,
        },
  );
}

function toSetupIntent({ row, setup }: Subscription): Wire<'setup_intent'> {
  const { status, cardLast4 } = setup!;
  return {
    id: siblingId(row.id, 'seti'),
    object: 'setup_intent',
    created: seconds(row.createdAt),
    client_secret: row.clientSecret,
    customer: row.customerId,
    payment_method: cardLast4 === null ? null : methodId(row, cardLast4),
    status,
  };
}

/** A draft has no payment yet, and an invoice of 0 never has one. */
function toInvoiceObjects(account: Account, subscription: Subscription, invoice: Invoice): Wire[] {
  const { row } = subscription;
  const { id, amountCents, reason, clientSecret, settledAt } = invoice;
  const now = account.now();
  const isCycle = reason === 'subscription_cycle';
  const finalizedAt = invoice.createdAt + (isCycle ? DRAFT_MS : 0);
  const isDraft = Math.min(now, row.endedAt ?? now) < finalizedAt;
  const isPaid = invoice.status !== 'open' && invoice.status !== 'void';
  const status = isPaid ? 'paid' : (invoice.status as 'open' | 'void');
  const until = Math.min(now, settledAt ?? now, row.endedAt ?? now);
  const retries = [0, ...RETRIES_MS].filter((delay) => isCycle && finalizedAt + delay <= until).length;
  const attempts = amountCents > 0 ? invoice.attempts + retries : 0;
  const hasPayment = !isDraft && amountCents > 0;
  const created = seconds(invoice.createdAt);
  const [intentId, chargeId] = [siblingId(id, 'pi'), siblingId(id, 'ch')];
  const payment: Wire<'invoice_payment'> = {
    id: siblingId(id, 'inpay'),
    object: 'invoice_payment',
    created,
    invoice: id,
    payment: { type: 'payment_intent', payment_intent: intentId },
    status: status === 'void' ? 'canceled' : status,
  };
  const charge: Wire<'charge'> = {
    id: chargeId,
    object: 'charge',
    created: seconds(settledAt ?? now),
    amount: amountCents,
    amount_refunded: invoice.status === 'refunded' ? amountCents : 0,
    customer: row.customerId,
    disputed: invoice.status === 'disputed',
    payment_intent: intentId,
    refunded: invoice.status === 'refunded',
    status: 'succeeded',
  };
  const intent: Wire<'payment_intent'> = {
    id: intentId,
    object: 'payment_intent',
    created,
    amount: amountCents,
    client_secret: clientSecret,
    customer: row.customerId,
    last_payment_error: status === 'open' && attempts > 0 ? DECLINE : null,
    latest_charge: isPaid ? chargeId : null,
    status: toIntentStatus(row, { status, attempts }),
  };
  const whole: Wire<'invoice'> = {
    id,
    object: 'invoice',
    created,
    amount_due: amountCents,
    amount_paid: isPaid && !isDraft ? amountCents : 0,
    amount_remaining: isPaid && !isDraft ? 0 : amountCents,
    attempt_count: attempts,
    attempted: attempts > 0,
    billing_reason: reason,
    confirmation_secret: hasPayment ? { client_secret: clientSecret, type: 'payment_intent' } : null,
    customer: row.customerId,
    hosted_invoice_url: isDraft ? null : `https://invoice.stripe.com/i/${id}`,
    lines: { object: 'list', data: toLines(account, invoice), has_more: false, url: '' },
    number: isDraft ? null : `SW-${String(invoice.number).padStart(4, '0')}`,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: row.id, metadata: subscription.metadata },
    },
    payments: { object: 'list', data: hasPayment ? [payment] : [], has_more: false, url: '' },
    // The invoice's own period is the previous one, for which usage would be charged.
    period_start: isCycle ? seconds(row.createdAt) : created,
    period_end: created,
    post_payment_credit_notes_amount: 0,
    status: isDraft ? 'draft' : status,
    status_transitions: { finalized_at: isDraft ? null : seconds(finalizedAt) },
    total: amountCents,
  };
  const payments = hasPayment ? [...(isPaid ? [charge] : []), intent, payment] : [];
  return [...payments, whole];
}

function toIntentStatus(
  { cardLast4 }: DemoRow,
  { status, attempts }: { status: 'open' | 'paid' | 'void'; attempts: number },
): Wire<'payment_intent'>['status'] {
  if (status === 'paid') return 'succeeded';
  if (status === 'void') return 'canceled';
  const isAsked = attempts > 0 && cardLast4 === WANTS_CONFIRMATION_LATER;
  return isAsked ? 'requires_action' : 'requires_payment_method';
}

/** An upgrade credits the rest of the old plan in a separate line. */
function toLines(account: Account, invoice: Invoice) {
  const { id, amountCents, credit, periodStartsAt, periodEndsAt } = invoice;
  const toLine = (name: string, amount: number, price: Wire<'price'>) => ({
    id: siblingId(id, name),
    object: 'line_item' as const,
    amount,
    description: `1 × ${String(price.product)}`,
    period: { start: seconds(periodStartsAt), end: seconds(periodEndsAt) },
    pricing: {
      type: 'price_details' as const,
      price_details: { price: price.id, product: String(price.product) },
    },
  });
  const charged = amountCents + (credit?.amountCents ?? 0);
  return [
    ...(credit ? [toLine('il_credit', -credit.amountCents, findPrice(account, credit))] : []),
    toLine('il', charged, findPrice(account, invoice)),
  ];
}

function toSchedule(
  account: Account,
  { row, discountId }: Subscription,
  { id, createdAt, status, phases }: Schedule,
): Wire<'subscription_schedule'> {
  const isOver = status === 'active' && row.status === 'ended';
  return {
    id,
    object: 'subscription_schedule',
    created: seconds(createdAt),
    customer: row.customerId,
    phases: phases.map(({ startsAt, endsAt, ...plan }, index) => ({
      start_date: seconds(startsAt),
      end_date: seconds(endsAt),
      items: [{ price: findPrice(account, plan).id, quantity: 1 }],
      discounts: index === 0 && discountId !== null ? [{ discount: discountId }] : [],
      default_payment_method: row.cardLast4 === null ? null : methodId(row, row.cardLast4),
      trial_end: row.status === 'trialing' && startsAt < row.freeUntil! ? seconds(row.freeUntil!) : null,
    })),
    status: isOver ? 'canceled' : status,
    subscription: status === 'active' && !isOver ? row.id : null,
  };
}

/** Finds the price of a plan, or the newest price of its tier if no amount is given, as for an invoice. */
function findPrice(account: Account, { tier, priceCents }: Partial<Plan>): Wire<'price'> {
  const prices = account.list('price').filter(({ metadata }) => metadata?.tier === tier);
  return prices.find(({ unit_amount }) => unit_amount === priceCents) ?? prices[0]!;
}

function methodId({ id }: DemoRow, last4: string): string {
  return `${siblingId(id, 'pm')}${last4}`;
}

/** The ID of another object of the same subscription or invoice. */
function siblingId(id: string, prefix: string): string {
  return `${prefix}_${id.split('_').at(-1)}`;
}

function seconds(instant: number): number {
  return instant / SECOND_MS;
}

function secondsOrNull(instant: number | null): number | null {
  return instant === null ? null : seconds(instant);
}
