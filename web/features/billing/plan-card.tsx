import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import type { PaidTier, Subscription } from '../../../contracts/plans/billing.ts';
import { MAX_DOWNLOADS, type TierConfig, type TierName, tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES, SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { Button } from '../../components/actions/button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { Badge } from '../../components/feedback/badge.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { classNames } from '../../lib/class-names.ts';
import { Link } from '../../lib/routing.tsx';
import { formatLongDate } from '../../lib/time/format-dates.ts';
import { formatTierNumber } from '../../lib/values/tier-numbers.ts';
import { isRunning } from '../../paying/subscription-queries.ts';

type PlanCardProps = {
  tier: TierName;
  tiers: TierConfig;
  /** Otherwise no price is shown, because administrators assign the plans. */
  isForSale: boolean;
  hasPrioritySupport: boolean;
  children: ReactNode;
  /** On the current plan: its renewal, instead of the target audience. */
  note?: ReactNode;
};

export function PlanCard({ tier, tiers, isForSale, hasPrioritySupport, children, note }: PlanCardProps) {
  const { purpose, base } = PLAN_WORDS[tier];
  const features = listFeatures(tier, { hasPrioritySupport });
  const isPopular = tier === 'pro';
  const size = formatTierNumber(tiers, `${tier}.storagePerTransfer`);
  const monthlySize = formatTierNumber(tiers, `${tier}.monthlyTotal`);
  const days = formatTierNumber(tiers, `${tier}.retentionDays`);
  const maxDownloads = tier !== 'free' && formatCount(MAX_DOWNLOADS[tier]);
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
        {isPopular && (
          <Badge tone="accent">
            <Trans>Popular</Trans>
          </Badge>
        )}
      </div>
      <p className="mt-1.5 text-ink-soft">{note || purpose}</p>
      {isForSale && <Price tier={tier} tiers={tiers} />}
      <div className="mt-6 flex flex-col">{children}</div>
      <ul className="mt-7 flex flex-col gap-2.5 border-t border-line pt-6">
        <Figure>
          <Trans>{size} per transfer</Trans>
        </Figure>
        <Figure>
          <Trans>{monthlySize} per month</Trans>
        </Figure>
        <Figure>
          <Trans>{days} retention</Trans>
        </Figure>
        {maxDownloads && (
          <Figure>
            <Trans>Download limits up to {maxDownloads}</Trans>
          </Figure>
        )}
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
      {isPaid && (
        <span className="text-ink-soft">
          <Trans>/month</Trans>
        </span>
      )}
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

type PlanButtonProps = {
  tier: TierName;
  user: CurrentUser | null;
  /** The plan whose payment is starting. */
  startingTier: PaidTier | undefined;
  isForSale: boolean;
  onChoose: (tier: PaidTier) => void;
};

export function PlanButton({ tier, user, startingTier, isForSale, onChoose }: PlanButtonProps) {
  const plan = tierLabel(tier);
  const variant = tier === 'pro' ? 'primary' : 'secondary';
  if (user?.tier === tier)
    return (
      <Button variant="secondary" size="lg" disabled>
        <Trans>Current Plan</Trans>
      </Button>
    );
  if (tier !== 'free' && !isForSale)
    return (
      <p className="flex min-h-control-lg items-center text-ink-soft">
        <Trans>Ask your administrator for this plan.</Trans>
      </p>
    );
  if (tier === 'free')
    return (
      <LinkButton to={SIGN_UP_PATH} variant={variant} size="lg">
        <Trans>Get Started Free</Trans>
      </LinkButton>
    );
  return (
    <Button variant={variant} size="lg" isBusy={startingTier === tier} onClick={() => onChoose(tier)}>
      <Trans>Subscribe to {plan}</Trans>
    </Button>
  );
}

/** The next step of a subscription and a link to change it; null without one. */
export function describeCourse(subscription: Subscription | undefined): ReactNode {
  if (!isRunning(subscription)) return null;
  return (
    <>
      {describe(subscription)}{' '}
      <Link to={PAGES.settingsPlan} className="link">
        <Trans>Manage</Trans>
      </Link>
    </>
  );
}

function describe({ status, cancelAtPeriodEnd, scheduledTier, renewsAt, freeUntil }: Subscription): string {
  if (status === 'past_due') return t`A payment failed.`;
  if (!renewsAt) return '';
  const day = formatLongDate(renewsAt);
  if (cancelAtPeriodEnd) return t`Ends on ${day}.`;
  const nextPlan = scheduledTier && tierLabel(scheduledTier);
  if (nextPlan) return t`Changes to ${nextPlan} on ${day}.`;
  const freeDay = freeUntil && formatLongDate(freeUntil);
  if (freeDay) return t`Free until ${freeDay}.`;
  return t`Renews on ${day}.`;
}

type PlanWords = {
  /** The intended audience. */
  purpose: string;
  /** Heading of the list if it adds to the previous plan. */
  base?: string;
  features: readonly string[];
};

const PRIORITY_SUPPORT = t`Priority support`;

const PLAN_WORDS: Record<TierName, PlanWords> = {
  free: {
    purpose: t`For sending a file now and then.`,
    features: [t`Email notifications`, t`Basic download tracking`, t`Standard file expiration`],
  },
  pro: {
    purpose: t`For sending work every week.`,
    base: t`All Free features, plus:`,
    features: [
      t`Password protection`,
      t`Download limit controls`,
      t`Scheduled transfers`,
      t`Auto-delete after downloads`,
      t`File preview and thumbnails`,
      t`Transfer analytics dashboard`,
      t`Download notifications`,
      t`RESTful API access`,
    ],
  },
  premium: {
    purpose: t`For receiving files as well as sending.`,
    base: t`All Pro features, plus:`,
    features: [
      t`Upload invitation links`,
      t`RESTful API access`,
      t`Custom background images`,
      t`Advanced API rate limits`,
      PRIORITY_SUPPORT,
      t`Extended analytics history`,
      t`Higher download limits`,
    ],
  },
};

/** Lists priority support only if the operator offers it. */
function listFeatures(
  tier: TierName,
  { hasPrioritySupport }: { hasPrioritySupport: boolean },
): readonly string[] {
  const { features } = PLAN_WORDS[tier];
  return hasPrioritySupport ? features : features.filter((feature) => feature !== PRIORITY_SUPPORT);
}
