import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { CouponPrice, PaidTier } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { formatCents } from '../../../contracts/values/format.ts';
import { formatLongDate } from '../../lib/time/format-dates.ts';
import { centsOf } from '../../paying/money.ts';

type PriceSummaryProps = {
  tier: PaidTier;
  /** Dollars per month without a coupon. */
  price: number;
  coupon: CouponPrice | null;
  /** The amount of the started payment. */
  dueCents: number;
};

export function PriceSummary({ tier, price, coupon, dueCents }: PriceSummaryProps) {
  const plan = tierLabel(tier);
  const freeMonths = coupon?.freeMonths ?? 0;
  const firstCharge = coupon && formatLongDate(coupon.firstChargeAt);
  const fullCents = coupon?.priceCents ?? centsOf(price);
  const cents = coupon?.discountedCents ?? fullCents;
  return (
    <dl className="tabular flex flex-col gap-2" aria-live="polite" data-testid="price-summary">
      <Row name={t`${plan}, billed monthly`}>
        {cents < fullCents && (
          <>
            <span className="sr-only">
              <Trans>Regular price:</Trans>{' '}
            </span>
            <s className="mr-2 text-ink-faint">{formatCents(fullCents)}</s>
          </>
        )}
        {formatCents(cents)}
        <span className="text-ink-soft">
          <Trans>/month</Trans>
        </span>
      </Row>
      {freeMonths > 0 && (
        <Row name={plural(freeMonths, { one: '# month free', other: '# months free' })}>
          <Trans>first charge on {firstCharge}</Trans>
        </Row>
      )}
      <Row name={t`Due today`} isTotal>
        {formatCents(dueCents)}
      </Row>
    </dl>
  );
}

function Row({ name, isTotal, children }: { name: string; isTotal?: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt className={isTotal ? 'font-medium' : 'text-ink-soft'}>{name}</dt>
      <dd className={isTotal ? 'text-lg font-semibold' : ''}>{children}</dd>
    </div>
  );
}
