import type { Invoice, PaymentStart, Subscription } from '../../../contracts/plans/billing.ts';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { discountedCents } from '../../platform/payments/calculations.ts';
import type { ProviderPayment } from '../../platform/payments/provider.ts';
import { isRunning } from './entitlement.ts';
import type { InvoiceRow } from './invoice-queries.ts';

/** Ids of the provider stay inside. */
export function presentSubscription(
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

/** A plan that was paid for before payments were switched off: it lasts until its period ends. */
export function presentFormer(
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

/** Cents of the next charge, unless it is cancelled before. The discount is the present plan's only. */
export function nextChargeOf({
  priceCents,
  scheduledPriceCents,
  discountPercent,
}: Pick<SubscriptionRow, 'priceCents' | 'scheduledPriceCents' | 'discountPercent'>): number {
  return scheduledPriceCents ?? discountedCents(priceCents, discountPercent);
}

/** Without a payment there is nothing to confirm: the page waits for the plan. Throws AppError `payments_off`. */
export function presentPayment(
  { payments }: Pick<Context, 'payments'>,
  payment: ProviderPayment | null,
): PaymentStart {
  const { name: provider, publishableKey } = payments;
  if (provider === 'off') throw new AppError('payments_off');
  const { clientSecret, intent, dueCents } = payment ?? { clientSecret: '', intent: 'payment', dueCents: 0 };
  return { clientSecret, provider, intent, publishableKey, dueCents };
}

export function presentInvoice(row: InvoiceRow): Invoice {
  const { id, number, status, amountCents, url } = row;
  return {
    ...{ id, number, status, amountCents, url },
    createdAt: toIso(row.createdAt),
    periodStartsAt: toIso(row.periodStartsAt),
    periodEndsAt: toIso(row.periodEndsAt),
  };
}
