import type { Updateable } from 'kysely';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { SubscriptionsTable } from '../../../platform/db/schema/billing.ts';
import type { Flag, Instant } from '../../../platform/db/schema/column-types.ts';
import type { SubscriptionRow, UserRow } from '../../../platform/db/schema.ts';
import { afterCommit } from '../../../platform/db/transaction.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { discountedCents } from '../../../platform/payments/calculations.ts';
import type { ProviderInvoice, ProviderSubscription } from '../../../platform/payments/provider.ts';
import { lockAccount, setPlan } from '../../accounts/index.ts';
import { redeemReservation } from '../coupons/coupon-queries.ts';
import { releaseReservation } from '../coupons/coupons.ts';
import { enqueuePaymentFailedMail, enqueuePlanEndedMail, enqueueReceiptMail } from '../emails.ts';
import { decidePlan, entitles, GRACE_MS, isRunning } from '../plan-rules.ts';
import {
  claimReceipts,
  findKnownInvoices,
  findOpenAmount,
  findSubscription,
  type InvoiceRow,
  listOtherRunning,
  writeInvoice,
  writeSync,
} from '../queries.ts';
import { type Past, writeEnd } from './sweep-queries.ts';

export type Answer = { found: ProviderSubscription | undefined; invoices: ProviderInvoice[] };

type Settling = Pick<Context, 'clock' | 'config' | 'security'> & { db: Trx };

type Written = {
  row: SubscriptionRow;
  /** The provider must end it, because the account is deleted or the payment was refunded. */
  mustEnd: boolean;
};

/**
 * Stores the result of a sync with all its consequences. Returns undefined and changes nothing if a later sync has
 * started. Locks the owner's row, so syncs of a user's subscriptions run one after another.
 */
export async function applySync(
  context: Settling,
  claimed: SubscriptionRow,
  answer: Answer,
): Promise<Written | undefined> {
  const { db: trx, clock } = context;
  const now = clock.now();
  const owner = await lockAccount(trx, claimed.userId);
  const before = await findSubscription(trx, claimed.providerSubscriptionId);
  const row = before && (await writeSync(trx, claimed, columnsOf(before, answer, now)));
  if (!row) return undefined;
  await settleInvoices(trx, row, answer.invoices);
  await settleRest(context, owner, { before, row, now });
  const isUnwanted = !owner || isPaidBack(row, answer.invoices);
  const canEnd = answer.found !== undefined && row.status !== 'ended';
  return { row, mustEnd: canEnd && isUnwanted };
}

/**
 * Ends a subscription whose provider can no longer be polled and whose paid period is over. Does nothing if that has
 * changed.
 */
export async function endPast(context: Settling, known: SubscriptionRow, past: Past): Promise<void> {
  const { db: trx, clock } = context;
  const owner = await lockAccount(trx, known.userId);
  const before = await findSubscription(trx, known.providerSubscriptionId);
  const row = await writeEnd(trx, known.id, past);
  if (before && row) await settleRest(context, owner, { before, row, now: clock.now() });
}

async function settleRest(
  context: Settling,
  owner: UserRow | undefined,
  { before, row, now }: Change,
): Promise<void> {
  const { db: trx } = context;
  await settleReservation(trx, row);
  if (!owner) return;
  const hasFallen = await settlePlan(context, owner, { before, row, now });
  await enqueueChangeMails(context, owner, { before, row, hasFallen });
}

function columnsOf(
  before: SubscriptionRow,
  { found, invoices }: Answer,
  now: Instant,
): Updateable<SubscriptionsTable> {
  if (!found) return unknownColumns(before, now);
  const hasBegun = before.periodStartsAt !== null || isRunning(found) || hasRun(found, invoices);
  const failedAt = found.status === 'past_due' ? (found.failedAt ?? before.failedAt ?? now) : null;
  return {
    tier: found.tier,
    status: found.status,
    priceCents: found.priceCents,
    discountPercent: found.discountPercent,
    periodStartsAt: hasBegun ? found.periodStartsAt : null,
    renewsAt: hasBegun ? found.periodEndsAt : null,
    freeUntil: found.freeUntil,
    cancelAtPeriodEnd: Number(found.cancelAtPeriodEnd) as Flag,
    scheduledTier: found.scheduled?.tier ?? null,
    scheduledPriceCents: found.scheduled?.priceCents ?? null,
    cardBrand: found.card?.brand ?? null,
    cardLast4: found.card?.last4 ?? null,
    failedAt,
    graceEndsAt: failedAt === null ? null : failedAt + GRACE_MS,
    endedAt: found.status === 'ended' ? (found.endedAt ?? now) : null,
    updatedAt: now,
  };
}

/**
 * Whether the subscription was ever paid for, or a card was stored with nothing to pay. If a payment was due, a card
 * proves nothing: it may be the customer's earlier one.
 */
function hasRun({ id, card }: ProviderSubscription, invoices: ProviderInvoice[]): boolean {
  const own = invoices.filter(({ subscriptionId }) => subscriptionId === id);
  if (own.length === 0) return card !== null;
  return own.some(({ status }) => status === 'paid' || status === 'refunded');
}

/**
 * For a subscription that the provider doesn't know, for example because the API keys belong to another account: keeps
 * the paid period.
 */
function unknownColumns(before: SubscriptionRow, now: Instant): Updateable<SubscriptionsTable> {
  if (before.status === 'ended') return { endedAt: before.endedAt ?? now, updatedAt: now };
  if ((before.renewsAt ?? 0) > now) return { updatedAt: now };
  return { status: 'ended', endedAt: now, failedAt: null, graceEndsAt: null, updatedAt: now };
}

async function settleReservation(
  trx: Trx,
  { providerSubscriptionId: id, status, periodStartsAt }: SubscriptionRow,
): Promise<void> {
  if (periodStartsAt !== null) await redeemReservation(trx, id);
  else if (status === 'ended') await releaseReservation(trx, id);
}

type Change = { before: SubscriptionRow; row: SubscriptionRow; now: Instant };

/** Returns whether the owner falls back to the free plan. */
async function settlePlan(
  { db: trx, security }: Settling,
  owner: UserRow,
  { before, row, now }: Change,
): Promise<boolean> {
  const others = await listOtherRunning(trx, row);
  const other = others.find((each) => entitles(each, now));
  const plan = decidePlan(owner.paymentSubscriptionId, {
    id: row.providerSubscriptionId,
    // At the time of the previous sync, because the clock may have changed since.
    before: { tier: before.tier, isEntitled: entitles(before, before.updatedAt) },
    after: { tier: row.tier, isEntitled: entitles(row, now) },
    other: other && { id: other.providerSubscriptionId, tier: other.tier },
  });
  if (!plan) return false;
  await setPlan(trx, owner.id, plan);
  if (plan.tier !== owner.tier) {
    const change = { accountId: owner.id, from: owner.tier, to: plan.tier, cause: 'subscription' };
    afterCommit(trx, () => security.recordInternal('account.plan_changed', change));
  }
  return plan.tier === 'free';
}

/** Checks every period, because a dispute may arrive after the next one has started. */
function isPaidBack(row: SubscriptionRow, invoices: ProviderInvoice[]): boolean {
  return invoices.some(
    ({ subscriptionId, status }) => subscriptionId === row.providerSubscriptionId && status === 'refunded',
  );
}

/** Leaves out open invoices of attempts that were never paid. */
async function settleInvoices(trx: Trx, row: SubscriptionRow, invoices: ProviderInvoice[]): Promise<void> {
  const own = invoices.filter(({ subscriptionId }) => subscriptionId === row.providerSubscriptionId);
  const known = await findKnownInvoices(
    trx,
    own.map(({ id }) => id),
  );
  for (const invoice of own) {
    const former = known.get(invoice.id);
    if (former ? !isSame(former, invoice) : isOwed(row, invoice))
      await writeInvoice(trx, toRow(row.userId, invoice));
  }
}

function isOwed(row: SubscriptionRow, { status }: ProviderInvoice): boolean {
  if (status === 'void') return false;
  return status !== 'open' || isRunning(row);
}

function isSame(former: InvoiceRow, { id, subscriptionId, createdAt, ...invoice }: ProviderInvoice): boolean {
  return (Object.keys(invoice) as (keyof typeof invoice)[]).every((key) => former[key] === invoice[key]);
}

function toRow(userId: string, { id, subscriptionId, ...invoice }: ProviderInvoice) {
  return {
    ...invoice,
    id: randomId(),
    userId,
    providerInvoiceId: id,
    providerSubscriptionId: subscriptionId,
  };
}

type MailedChange = {
  before: SubscriptionRow;
  row: SubscriptionRow;
  hasFallen: boolean;
};

async function enqueueChangeMails(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  owner: UserRow,
  { before, row, hasFallen }: MailedChange,
): Promise<void> {
  const now = clock.now();
  const mail = { user: owner, tier: row.tier, publicUrl: config.publicUrl, createdAt: now };
  const renewsAt = row.cancelAtPeriodEnd || row.status === 'ended' ? null : row.renewsAt;
  for (const { tier, amountCents, periodStartsAt, periodEndsAt } of await claimReceipts(trx, owner.id, now))
    await enqueueReceiptMail(trx, { ...mail, tier, amountCents, periodStartsAt, periodEndsAt, renewsAt });
  const hasFailed = row.status === 'past_due' && before.status !== 'past_due';
  if (hasFailed && entitles(row, now)) {
    const amountCents =
      (await findOpenAmount(trx, row.providerSubscriptionId)) ??
      discountedCents(row.priceCents, row.discountPercent);
    await enqueuePaymentFailedMail(trx, { ...mail, amountCents, graceEndsAt: row.graceEndsAt! });
  }
  if (hasFallen) await enqueuePlanEndedMail(trx, mail);
}
