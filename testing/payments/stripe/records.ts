import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import {
  amountOf,
  type Charge,
  type DemoRow,
  type Plan,
  type Terms,
} from '../../../server/platform/payments/demo/lifecycle.ts';
import { unsupported, type Wire } from './wire.ts';

/** The invoice of a renewal is a draft for this long before it is charged. */
export const DRAFT_MS = HOUR_MS;
/** Retries of a failed renewal, counted from the first attempt. The subscription ends after the last one. */
export const RETRIES_MS = [3, 8, 15].map((days) => days * DAY_MS);

/** Last four digits of Stripe's test card that is accepted when entered and declined at renewals. */
const DECLINED_LATER = '0341';
/** Last four digits of the test card for which the bank requests confirmation of each renewal. */
export const WANTS_CONFIRMATION_LATER = '3184';

/** The differences between Stripe and the demo. */
export const STRIPE_TERMS: Terms = {
  // At Stripe a subscription with free months runs without a card until they are over.
  attemptEndsAt: (row) => {
    if (row.freeUntil !== null) return row.freeUntil;
    return amountOf(row) > 0 ? row.createdAt + 23 * HOUR_MS : Number.POSITIVE_INFINITY;
  },
  graceMs: DRAFT_MS + RETRIES_MS.at(-1)!,
  canChargeLater: (cardLast4) => cardLast4 !== DECLINED_LATER && cardLast4 !== WANTS_CONFIRMATION_LATER,
};

/** A subscription of the demo's lifecycle with the additional state at Stripe. Instants are epoch milliseconds. */
export type Subscription = {
  row: DemoRow;
  invoices: Invoice[];
  metadata: Record<string, string>;
  discountId: string | null;
  /** The setup intent of a subscription that costs nothing at first. */
  setup: { status: 'requires_payment_method' | 'succeeded' | 'canceled'; cardLast4: string | null } | null;
  /** Becomes the plan when its invoice is paid. */
  upgrade: { row: DemoRow; endsTrial: boolean; invoiceId: string; expiresAt: number } | null;
  schedules: Schedule[];
  /** Ended by a call rather than by time. */
  isCanceled: boolean;
  /** The latest moment for which `pass` was called. */
  passedAt: number;
  /** Its objects by ID, as in the latest events. */
  published: Map<string, Wire>;
};

export type Invoice = Omit<Charge, 'status'> & {
  id: string;
  number: number;
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  status: 'open' | 'paid' | 'void' | 'refunded' | 'disputed';
  clientSecret: string;
  /** The credit of an upgrade for the rest of the old plan's period. */
  credit: (Plan & { amountCents: number }) | null;
  /** Payment attempts without the automatic ones at a renewal. */
  attempts: number;
  settledAt: number | null;
};

/** A schedule at Stripe, which starts another plan with the next period. */
export type Schedule = {
  id: string;
  createdAt: number;
  status: 'active' | 'released';
  phases: (Plan & { startsAt: number; endsAt: number })[];
};

export function currentSchedule({ row, schedules }: Subscription): Schedule | undefined {
  return row.status === 'ended' ? undefined : schedules.find(({ status }) => status === 'active');
}

/** True if the subscription has ended because its first invoice was not paid. */
export function isExpired({ row, isCanceled }: Subscription): boolean {
  return row.status === 'ended' && !isCanceled && row.cardLast4 === null && row.freeUntil === null;
}

export function planOf({ id, metadata, unit_amount: priceCents }: Wire<'price'>): Plan {
  const tier = metadata?.tier;
  if ((tier !== 'pro' && tier !== 'premium') || typeof priceCents !== 'number') {
    throw unsupported(`the price ${id}, which is not for one of our plans`);
  }
  return { tier, priceCents };
}
