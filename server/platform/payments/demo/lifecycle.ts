import type { Selectable } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { DemoSubscriptionsTable } from '../../db/schema/billing.ts';
import type { Instant } from '../../db/schema/column-types.ts';
import { addMonths, discountedCents, periodEnd } from '../calculations.ts';
import type { ProviderSubscription } from '../provider.ts';
import { canChargeLater, declined } from './cards.ts';

/**
 * The lifecycle of a subscription as pure functions of row and time. No timers: every read calls `advance`
 * first. Shared by the demo provider and the tests' Stripe fake.
 */
export type DemoRow = Selectable<DemoSubscriptionsTable>;

export type Charge = {
  status: 'open' | 'paid';
  tier: DemoRow['tier'];
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  createdAt: Instant;
};

export type Outcome = { row: DemoRow; charges: Charge[] };

export type Plan = { tier: DemoRow['tier']; priceCents: number };

/** The rules that differ between providers. */
export type Terms = {
  attemptEndsAt(row: DemoRow): Instant;
  /** Milliseconds from a failed renewal to the end. */
  graceMs: number;
  canChargeLater(cardLast4: string | null): boolean;
};

/** No retries within the seven days: a new card is charged immediately. */
const DEMO_TERMS: Terms = {
  attemptEndsAt: ({ createdAt }) => createdAt + 23 * HOUR_MS,
  graceMs: 7 * DAY_MS,
  canChargeLater,
};

const NOTHING_SCHEDULED = { scheduledTier: null, scheduledPriceCents: null } as const;

/** The price is due immediately, unless it starts with free months. */
export function begin(
  ids: Pick<DemoRow, 'id' | 'customerId' | 'clientSecret'>,
  wish: Plan & Pick<DemoRow, 'discountPercent' | 'freeUntil'>,
  now: Instant,
): Outcome {
  const row: DemoRow = {
    ...ids,
    ...wish,
    status: 'incomplete',
    periodStartsAt: now,
    periodEndsAt: wish.freeUntil ?? addMonths(now, 1),
    ...NOTHING_SCHEDULED,
    cancelAtPeriodEnd: 0,
    cardLast4: null,
    failedAt: null,
    endedAt: null,
    createdAt: now,
  };
  return { row, charges: wish.freeUntil === null ? chargesOf(row, 'open', now) : [] };
}

/** Applies renewals, the end of free months, failed payments and ends. */
export function advance(row: DemoRow, now: Instant, terms: Terms = DEMO_TERMS): Outcome {
  let outcome: Outcome = { row, charges: [] };
  for (let at = nextEventAt(row, terms); at <= now; at = nextEventAt(outcome.row, terms)) {
    const { row: current, charges } = outcome;
    const isUnpaid = current.status === 'incomplete' || current.status === 'past_due';
    if (isUnpaid || current.cancelAtPeriodEnd) outcome = { row: end(current, at), charges };
    else {
      const renewed = renew(current, at, terms);
      outcome = { row: renewed.row, charges: [...charges, ...renewed.charges] };
    }
  }
  return outcome;
}

/** Infinity once it has ended. */
export function nextEventAt(row: DemoRow, terms: Terms): Instant {
  switch (row.status) {
    case 'ended':
      return Number.POSITIVE_INFINITY;
    case 'incomplete':
      return terms.attemptEndsAt(row);
    case 'past_due':
      return row.failedAt! + terms.graceMs;
    default:
      return row.periodEndsAt;
  }
}

function renew(row: DemoRow, at: Instant, terms: Terms): Outcome {
  const renewed: DemoRow = {
    ...row,
    tier: row.scheduledTier ?? row.tier,
    priceCents: row.scheduledPriceCents ?? row.priceCents,
    discountPercent: row.scheduledTier ? 0 : row.discountPercent,
    ...NOTHING_SCHEDULED,
    periodStartsAt: at,
    periodEndsAt: periodEnd(row.freeUntil ?? row.createdAt, at),
  };
  const isPaid = amountOf(renewed) === 0 || terms.canChargeLater(row.cardLast4);
  return {
    row: { ...renewed, status: isPaid ? 'active' : 'past_due', failedAt: isPaid ? null : at },
    charges: chargesOf(renewed, isPaid ? 'paid' : 'open', at),
  };
}

export function confirm(row: DemoRow, cardLast4: string, now: Instant): DemoRow {
  const isFree = row.freeUntil !== null && row.freeUntil > now;
  return { ...row, status: isFree ? 'trialing' : 'active', cardLast4, failedAt: null };
}

/**
 * Takes effect now, at the price difference for the rest of the period. Ends the discount and the free
 * months, and revokes a scheduled plan and a cancellation. Throws AppError `payment_declined`.
 */
export function upgrade(row: DemoRow, plan: Plan, now: Instant): Outcome {
  const outcome = quoteUpgrade(row, plan, now);
  const isDue = outcome.charges.length > 0;
  if (row.status === 'past_due' || (isDue && !canChargeLater(row.cardLast4))) {
    throw declined('Your card was declined.');
  }
  return outcome;
}

export function quoteUpgrade(row: DemoRow, plan: Plan, now: Instant): Outcome {
  const isFree = row.status === 'trialing';
  const higher: DemoRow = {
    ...row,
    ...plan,
    ...NOTHING_SCHEDULED,
    cancelAtPeriodEnd: 0,
    discountPercent: 0,
    ...(isFree && { status: 'active', freeUntil: now, periodStartsAt: now, periodEndsAt: addMonths(now, 1) }),
  };
  const difference = amountOf(higher) - (isFree ? 0 : amountOf(row));
  const share = isFree ? 1 : restOfPeriod(row, now);
  const amountCents = Math.max(0, Math.round(difference * share));
  const { tier, periodEndsAt } = higher;
  const charge: Charge = {
    status: 'paid',
    tier,
    amountCents,
    periodStartsAt: now,
    periodEndsAt,
    createdAt: now,
  };
  return { row: higher, charges: amountCents > 0 ? [charge] : [] };
}

/** From 0 to 1. */
export function restOfPeriod({ periodStartsAt, periodEndsAt }: DemoRow, now: Instant): number {
  return (periodEndsAt - now) / (periodEndsAt - periodStartsAt);
}

export function end(row: DemoRow, at: Instant): DemoRow {
  return { ...row, ...NOTHING_SCHEDULED, status: 'ended', endedAt: at };
}

function chargesOf(row: DemoRow, status: Charge['status'], createdAt: Instant): Charge[] {
  const { tier, periodStartsAt, periodEndsAt } = row;
  const amountCents = amountOf(row);
  return amountCents > 0 ? [{ status, tier, amountCents, periodStartsAt, periodEndsAt, createdAt }] : [];
}

export function amountOf({ priceCents, discountPercent }: DemoRow): number {
  return discountedCents(priceCents, discountPercent);
}

export function presentRow(row: DemoRow): ProviderSubscription {
  const { clientSecret, scheduledTier, scheduledPriceCents, cardLast4, createdAt, ...rest } = row;
  return {
    ...rest,
    freeUntil: row.status === 'incomplete' || row.status === 'trialing' ? row.freeUntil : null,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd === 1,
    scheduled: scheduledTier && { tier: scheduledTier, priceCents: scheduledPriceCents ?? 0 },
    card: cardLast4 === null ? null : { brand: 'visa', last4: cardLast4 },
  };
}
