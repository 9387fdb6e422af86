import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { MAX_DOWNLOADS, type TierConfig, type TierName, tierLabel } from '../../../contracts/plans/tiers.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { classNames } from '../../lib/class-names.ts';
import { formatTierNumber } from '../../lib/values/tier-numbers.ts';
import { listFeatures, PLAN_WORDS } from './plan-features.ts';

type PlanCardProps = {
  tier: TierName;
  tiers: TierConfig;
  /** Without a price: administrators assign the plans here. */
  isForSale: boolean;
  hasPrioritySupport: boolean;
  /** The button. */
  children: ReactNode;
  /** How the caller's own plan goes on, instead of for whom it is. */
  note?: ReactNode;
};

const counts = new Intl.NumberFormat('en');

/** One plan: what it costs, what it holds, and the way to it. */
export function PlanCard({ tier, tiers, isForSale, hasPrioritySupport, children, note }: PlanCardProps) {
  const { purpose, base } = PLAN_WORDS[tier];
  const features = listFeatures(tier, { hasPrioritySupport });
  const isPopular = tier === 'pro';
  return (
    <Surface
      as="article"
      padding="none"
      aria-labelledby={`plan-${tier}`}
      className={classNames('flex flex-col p-6 sm:p-8', isPopular && 'ring-1 ring-accent-ink')}
    >
      <div className="flex min-h-8 items-center justify-between gap-3">
        <h2 id={`plan-${tier}`} className="text-2xl">
          {tierLabel(tier)}
        </h2>
        {isPopular && <Badge tone="accent">Popular</Badge>}
      </div>
      <p className="mt-1.5 text-ink-soft">{note || purpose}</p>
      {isForSale && <Price tier={tier} tiers={tiers} />}
      <div className="mt-6 flex flex-col">{children}</div>
      <ul className="mt-7 flex flex-col gap-2.5 border-t border-line pt-6">
        <Figure>{formatTierNumber(tiers, `${tier}.storagePerTransfer`)} per transfer</Figure>
        <Figure>{formatTierNumber(tiers, `${tier}.monthlyTotal`)} per month</Figure>
        <Figure>{formatTierNumber(tiers, `${tier}.retentionDays`)} retention</Figure>
        {tier !== 'free' && <Figure>Download limits up to {counts.format(MAX_DOWNLOADS[tier])}</Figure>}
      </ul>
      {base && <p className="mt-6 text-sm text-ink-soft">{base}</p>}
      <ul className={classNames('flex flex-col gap-2.5', base ? 'mt-3' : 'mt-2.5')}>
        {features.map((feature) => (
          <Line key={feature}>{feature}</Line>
        ))}
      </ul>
    </Surface>
  );
}

function Price({ tier, tiers }: Pick<PlanCardProps, 'tier' | 'tiers'>) {
  const isPaid = tier !== 'free' && tiers[tier].price > 0;
  return (
    <p className="mt-6 flex items-baseline gap-1">
      <span className="tabular font-heading text-4xl">{formatTierNumber(tiers, `${tier}.price`)}</span>
      {isPaid && <span className="text-ink-soft">/month</span>}
    </p>
  );
}

function Figure({ children }: { children: ReactNode }) {
  return (
    <Line>
      <span className="tabular font-medium">{children}</span>
    </Line>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <Check aria-hidden="true" strokeWidth={2} className="mt-1 size-4.5 shrink-0 text-accent-ink" />
      <span>{children}</span>
    </li>
  );
}
