import type { Invoice, PaymentStart, Subscription } from '../../../../contracts/plans/billing.ts';
import { type TierName, tierIncludes } from '../../../../contracts/plans/tiers.ts';
import { DAY_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { claimWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { discountedCents } from '../../../platform/payments/calculations.ts';
import type { ProviderPayment } from '../../../platform/payments/provider.ts';
import { isRunning } from '../plan-rules.ts';
import {
  findCurrentSubscription,
  findFormerSubscription,
  findOpenAmount,
  findTier,
  type InvoiceRow,
  listInvoicesOf,
} from '../queries.ts';
import { refresh, syncCurrent } from '../sync/sync.ts';

const INVOICES_SHOWN = 100;
const SYNC_INTERVAL_MS = 2 * SECOND_MS;
const ATTEMPT_LIVES_MS = DAY_MS;

/**
 * Syncs with the provider if the stored state may be outdated, at most every two seconds, so that a payment shows even
 * if no event reaches this server.
 */
export async function viewSubscription(context: Context, userId: string): Promise<Subscription> {
  const { db, payments } = context;
  const known = await findCurrentSubscription(db, userId, payments.name);
  if (known && (await needsSync(context, known))) {
    const key = `look-at-payment:${userId}`;
    if (!(await claimWithinLimit(context, { key, limit: 1, windowMs: SYNC_INTERVAL_MS })))
      await refresh(context, known);
  }
  return presentCurrent(context, userId);
}

export async function presentCurrent(context: Context, userId: string): Promise<Subscription> {
  const { db, payments } = context;
  const tier = await findTier(db, userId);
  const former = payments.name === 'off' ? await findFormerSubscription(db, userId) : undefined;
  if (former) return presentFormer(context, former, tier);
  return presentSubscription(context, await findCurrentSubscription(db, userId, payments.name), tier);
}

async function needsSync({ db, clock }: Context, row: SubscriptionRow): Promise<boolean> {
  const now = clock.now();
  if (row.status === 'incomplete') return row.createdAt > now - ATTEMPT_LIVES_MS;
  if (row.status === 'ended') return row.endedAt === null;
  if (row.status === 'past_due' || (row.renewsAt ?? 0) <= now) return true;
  return (await findOpenAmount(db, row.providerSubscriptionId)) !== undefined;
}

export async function openPayment(context: Context, userId: string): Promise<PaymentStart> {
  const row = await syncCurrent(context, userId);
  if (!row || !isRunning(row)) throw new AppError('no_subscription');
  const payment = await context.payments.findOpenPayment(row.providerSubscriptionId);
  if (!payment) throw new AppError('nothing_to_pay');
  return presentPayment(context, payment);
}

export async function viewInvoices({ db }: Pick<Context, 'db'>, userId: string): Promise<Invoice[]> {
  return (await listInvoicesOf(db, userId, INVOICES_SHOWN)).map(presentInvoice);
}

function presentSubscription(
  { payments, clock, config }: Pick<Context, 'payments' | 'clock' | 'config'>,
  row: SubscriptionRow | undefined,
  tier: TierName,
): Subscription {
  const { name: provider } = payments;
  const supportEmail = supportEmailOf(config, tier);
  if (!row || !isRunning(row))
    return { ...NOTHING, tier, provider, supportEmail, status: row?.status ?? 'none' };
  const { discountPercent, cardBrand, cardLast4, freeUntil } = row;
  const isCancelled = row.cancelAtPeriodEnd === 1;
  return {
    tier,
    provider,
    supportEmail,
    status: row.status,
    renewsAt: toIsoOrNull(row.renewsAt),
    cancelAtPeriodEnd: isCancelled,
    scheduledTier: row.scheduledTier,
    nextChargeCents: isCancelled ? null : nextChargeOf(row),
    discountPercent,
    freeUntil: freeUntil !== null && freeUntil > clock.now() ? toIso(freeUntil) : null,
    graceEndsAt: toIsoOrNull(row.graceEndsAt),
    card: cardBrand && cardLast4 ? { brand: cardBrand, last4: cardLast4 } : null,
  };
}

/** A plan paid for before payments were turned off lasts until its period ends. */
function presentFormer(
  { config }: Pick<Context, 'config'>,
  { renewsAt, graceEndsAt }: SubscriptionRow,
  tier: TierName,
): Subscription {
  return {
    ...NOTHING,
    tier,
    provider: 'off',
    status: 'active',
    supportEmail: supportEmailOf(config, tier),
    renewsAt: toIsoOrNull(graceEndsAt ?? renewsAt),
    cancelAtPeriodEnd: true,
  };
}

function supportEmailOf({ prioritySupportEmail }: Context['config'], tier: TierName): string | null {
  return tierIncludes(tier, 'prioritySupport') ? (prioritySupportEmail ?? null) : null;
}

const NOTHING = {
  renewsAt: null,
  cancelAtPeriodEnd: false,
  scheduledTier: null,
  nextChargeCents: null,
  discountPercent: 0,
  freeUntil: null,
  graceEndsAt: null,
  card: null,
};

/** The next charge in cents. A discount applies to the current plan only. */
export function nextChargeOf({
  priceCents,
  scheduledPriceCents,
  discountPercent,
}: Pick<SubscriptionRow, 'priceCents' | 'scheduledPriceCents' | 'discountPercent'>): number {
  return scheduledPriceCents ?? discountedCents(priceCents, discountPercent);
}

/** Without a payment there is nothing to confirm, and the page waits for the plan. */
export function presentPayment(
  { payments }: Pick<Context, 'payments'>,
  payment: ProviderPayment | null,
): PaymentStart {
  const { name: provider, publishableKey } = payments;
  if (provider === 'off') throw new AppError('payments_off');
  const { clientSecret, intent, dueCents } = payment ?? { clientSecret: '', intent: 'payment', dueCents: 0 };
  return { clientSecret, provider, intent, publishableKey, dueCents };
}

function presentInvoice(row: InvoiceRow): Invoice {
  const { id, number, status, amountCents, url } = row;
  return {
    ...{ id, number, status, amountCents, url },
    createdAt: toIso(row.createdAt),
    periodStartsAt: toIso(row.periodStartsAt),
    periodEndsAt: toIso(row.periodEndsAt),
  };
}
