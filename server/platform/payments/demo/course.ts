import type { Selectable } from 'kysely';
import type { DemoSubscriptionsTable, Instant } from '../../db/schema.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { discountedCents } from '../amounts.ts';
import { addMonths, periodEnd } from '../months.ts';
import type { Discount, ProviderSubscription } from '../provider.ts';
import { declined, paysLater } from './cards.ts';

/**
 * The course of a demo subscription: pure functions of its row and the time. Nothing happens by itself; who
 * looks brings the row to where it stands by then.
 */
export type DemoRow = Selectable<DemoSubscriptionsTable>;

/** An invoice to be written. */
export type Charge = {
  status: 'open' | 'paid';
  tier: DemoRow['tier'];
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  createdAt: Instant;
};

/** Where a row stands, and what has been charged on the way. */
export type Course = { row: DemoRow; charges: Charge[] };

type Plan = { tier: DemoRow['tier']; priceCents: number };

const TIME_TO_PAY_MS = 23 * HOUR_MS;
/**
 * A payment that failed at a renewal. It is tried again on the third and the fifth day, which changes nothing
 * here: the card is still the one that failed, since who gives another one pays with it.
 */
const TIME_TO_PAY_AGAIN_MS = 7 * DAY_MS;

const NOTHING_AHEAD = { scheduledTier: null, scheduledPriceCents: null, cancelAtPeriodEnd: 0 } as const;

/** A new subscription; what it costs is owed at once, unless it begins with free months. */
export function begin(
  ids: Pick<DemoRow, 'id' | 'customerId' | 'clientSecret'>,
  { tier, priceCents, discount }: Plan & { discount: Discount | null },
  now: Instant,
): Course {
  const freeUntil = discount && discount.freeMonths > 0 ? addMonths(now, discount.freeMonths) : null;
  const row: DemoRow = {
    ...ids,
    tier,
    priceCents,
    discountPercent: discount?.percent ?? 0,
    status: 'incomplete',
    periodStartsAt: now,
    periodEndsAt: freeUntil ?? addMonths(now, 1),
    freeUntil,
    ...NOTHING_AHEAD,
    cardLast4: null,
    failedAt: null,
    endedAt: null,
    createdAt: now,
  };
  return { row, charges: freeUntil === null ? chargesOf(row, 'open', now) : [] };
}

/** Brings a row to where it stands now: renewals, the end of free months, failed payments, ends. */
export function advance(row: DemoRow, now: Instant): Course {
  const course: Course = { row, charges: [] };
  for (let at = nextEvent(course.row); at <= now; at = nextEvent(course.row)) {
    if (
      course.row.status === 'incomplete' ||
      course.row.status === 'past_due' ||
      course.row.cancelAtPeriodEnd
    )
      course.row = ended(course.row, at);
    else renew(course, at);
  }
  return course;
}

function nextEvent(row: DemoRow): Instant {
  switch (row.status) {
    case 'ended':
      return Number.POSITIVE_INFINITY;
    case 'incomplete':
      return row.createdAt + TIME_TO_PAY_MS;
    case 'past_due':
      return row.failedAt! + TIME_TO_PAY_AGAIN_MS;
    default:
      return row.periodEndsAt;
  }
}

function renew(course: Course, at: Instant): void {
  const { row } = course;
  const renewed: DemoRow = {
    ...row,
    tier: row.scheduledTier ?? row.tier,
    priceCents: row.scheduledPriceCents ?? row.priceCents,
    discountPercent: row.scheduledTier ? 0 : row.discountPercent,
    scheduledTier: null,
    scheduledPriceCents: null,
    periodStartsAt: at,
    // Months are counted from the first that is paid.
    periodEndsAt: periodEnd(row.freeUntil ?? row.createdAt, at),
  };
  const isPaid = amountOf(renewed) === 0 || paysLater(row.cardLast4);
  course.charges.push(...chargesOf(renewed, isPaid ? 'paid' : 'open', at));
  course.row = { ...renewed, status: isPaid ? 'active' : 'past_due', failedAt: isPaid ? null : at };
}

/** After its owner has paid what is owed, or given a card for later. */
export function paid(row: DemoRow, cardLast4: string, now: Instant): DemoRow {
  const isFree = row.freeUntil !== null && row.freeUntil > now;
  return { ...row, status: isFree ? 'trialing' : 'active', cardLast4, failedAt: null };
}

/**
 * To a higher plan now: the difference for the rest of the period. Discount and free months were the lower plan's
 * and end; what was scheduled, and a cancellation, are taken back.
 * Throws AppError `payment_declined`.
 */
export function upgraded(row: DemoRow, plan: Plan, now: Instant): Course {
  const isFree = row.status === 'trialing';
  const higher: DemoRow = { ...row, ...plan, ...NOTHING_AHEAD, discountPercent: 0 };
  if (isFree) {
    Object.assign(higher, { status: 'active', freeUntil: now, periodStartsAt: now });
    higher.periodEndsAt = addMonths(now, 1);
  }
  const difference = amountOf(higher) - (isFree ? 0 : amountOf(row));
  const share = isFree ? 1 : (row.periodEndsAt - now) / (row.periodEndsAt - row.periodStartsAt);
  const amountCents = Math.max(0, Math.round(difference * share));
  if (row.status === 'past_due' || (amountCents > 0 && !paysLater(row.cardLast4)))
    throw declined('Your card was declined.');
  const charge: Charge = {
    status: 'paid',
    tier: plan.tier,
    amountCents,
    periodStartsAt: now,
    periodEndsAt: higher.periodEndsAt,
    createdAt: now,
  };
  return { row: higher, charges: amountCents > 0 ? [charge] : [] };
}

export function ended(row: DemoRow, at: Instant): DemoRow {
  return { ...row, status: 'ended', endedAt: at, scheduledTier: null, scheduledPriceCents: null };
}

/** Nothing is billed when nothing is due. */
function chargesOf(row: DemoRow, status: Charge['status'], createdAt: Instant): Charge[] {
  const { tier, periodStartsAt, periodEndsAt } = row;
  const amountCents = amountOf(row);
  return amountCents > 0 ? [{ status, tier, amountCents, periodStartsAt, periodEndsAt, createdAt }] : [];
}

function amountOf({ priceCents, discountPercent }: DemoRow): number {
  return discountedCents(priceCents, discountPercent);
}

/** As the port tells it. */
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
