import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import type { PaidTier } from '../../../contracts/plans/billing.ts';
import { type TierName, tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';

type PlanButtonProps = {
  tier: TierName;
  /** null: nobody. */
  user: CurrentUser | null;
  /** The plan that is being begun. */
  startingTier: PaidTier | undefined;
  /** Plans are assigned by administrators here. */
  isForSale: boolean;
  onChoose: (tier: PaidTier) => void;
};

/** Leads to a plan, or shows that it is the current one. */
export function PlanButton({ tier, user, startingTier, isForSale, onChoose }: PlanButtonProps) {
  const variant = tier === 'pro' ? 'primary' : 'secondary';
  if (user?.tier === tier)
    return (
      <Button variant="secondary" size="lg" disabled>
        Current Plan
      </Button>
    );
  if (tier !== 'free' && !isForSale)
    return (
      <p className="flex min-h-control-lg items-center text-ink-soft">
        Ask your administrator for this plan.
      </p>
    );
  if (tier === 'free')
    return (
      <LinkButton to={PAGES.auth} variant={variant} size="lg">
        Get Started Free
      </LinkButton>
    );
  return (
    <Button variant={variant} size="lg" isBusy={startingTier === tier} onClick={() => onChoose(tier)}>
      Subscribe to {tierLabel(tier)}
    </Button>
  );
}
