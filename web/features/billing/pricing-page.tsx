import { useState } from 'react';
import { Link } from 'react-router';
import { errorDetail } from '../../../client/api-error.ts';
import { TIERS } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { useSession } from '../../api/session.ts';
import { useSite } from '../../api/site.ts';
import { useSubscription } from '../../billing/subscription-queries.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { ChosenPlan } from './chosen-plan.tsx';
import { PlanButton } from './plan-button.tsx';
import { PlanCard } from './plan-card.tsx';
import { describeCourse } from './plan-note.tsx';
import { useChosenPlan } from './use-chosen-plan.ts';
import { usePlans } from './use-plans.ts';

export function PricingPage() {
  usePageTitle('Pricing');
  const { site } = useSite();
  return (
    <main id="main" tabIndex={-1} className="frame grow pt-6 pb-chapter outline-none sm:pt-10">
      <div className="text-center">
        <h1 className="text-4xl">Choose Your Plan</h1>
        <p className="mx-auto mt-4 max-w-[34rem] text-lg text-ink-soft">
          Every plan sends and receives without losing a byte. The larger ones keep more, for longer, and tell
          you what becomes of it.
        </p>
      </div>
      <Plans />
      {site && (
        <p className="mt-rhythm text-center text-sm text-ink-soft">
          {site.payments === 'off'
            ? 'Plans are not sold here: administrators assign them.'
            : 'Plans are billed monthly. Cancel at any time: a plan goes on until the end of the paid period.'}{' '}
          The details are in our{' '}
          <Link to={PAGES.terms} className="link">
            Terms of Service
          </Link>
          .
        </p>
      )}
    </main>
  );
}

function Plans() {
  const { user, isLoading } = useSession();
  const { data: tiers, error, refetch } = usePlans();
  const { site, error: siteError, refetch: refetchSite } = useSite();
  const subscription = useSubscription(user);
  const { chosen, choose, clear } = useChosenPlan(user);
  const [isDialogOpen, setDialogOpen] = useState(false);
  if (error) return <PlansFailure error={error} onRetry={() => void refetch()} />;
  if (siteError && !site) return <PlansFailure error={siteError} onRetry={refetchSite} />;
  if (!tiers || !site || isLoading) return <Placeholders />;
  const isForSale = site.payments !== 'off';
  const startingTier = isDialogOpen ? undefined : chosen;
  return (
    <>
      <div className="mt-rhythm grid items-stretch gap-5 lg:grid-cols-3">
        {TIERS.map((tier) => (
          <PlanCard
            key={tier}
            tier={tier}
            tiers={tiers}
            isForSale={isForSale}
            hasPrioritySupport={site.hasPrioritySupport}
            note={user?.tier === tier && describeCourse(subscription.data)}
          >
            <PlanButton {...{ tier, startingTier, isForSale }} user={user ?? null} onChoose={choose} />
          </PlanCard>
        ))}
      </div>
      {isForSale && chosen && !subscription.isFetching && (
        <ChosenPlan
          key={chosen}
          tier={chosen}
          tiers={tiers}
          subscription={subscription}
          onOpenChange={setDialogOpen}
          onClose={clear}
        />
      )}
    </>
  );
}

function PlansFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div role="alert" className="mt-rhythm flex flex-col items-center gap-5 text-center">
      <p className="text-ink-soft">The plans did not load. {errorDetail(error)}</p>
      <Button variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label="Loading the plans" className="mt-rhythm grid gap-5 lg:grid-cols-3">
      {TIERS.map((tier) => (
        <Skeleton key={tier} className="h-[40rem] rounded-lg" />
      ))}
    </SkeletonGroup>
  );
}
