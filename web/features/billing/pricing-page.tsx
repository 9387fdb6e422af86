import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { errorDetail } from '../../../client/api-error.ts';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { PAID_TIERS, type PaidTier } from '../../../contracts/plans/billing.ts';
import { getTierConfig, TIERS } from '../../../contracts/plans/tiers.ts';
import { verifyEmailPath } from '../../../contracts/values/addresses/links.ts';
import { PAGES, SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { useSession } from '../../api/session/session.ts';
import { useSite } from '../../api/site.ts';
import { Button } from '../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { Link } from '../../lib/routing.tsx';
import { useSubscription } from '../../paying/subscription-queries.ts';
import { ChosenPlan } from './chosen-plan.tsx';
import { describeCourse, PlanButton, PlanCard } from './plan-card.tsx';

export function PricingPage() {
  usePageTitle(t`Pricing`);
  const { site } = useSite();
  return (
    <main id="main" tabIndex={-1} className="frame grow pt-6 pb-chapter outline-none sm:pt-10">
      <div className="text-center">
        <h1 className="text-4xl">
          <Trans>Choose Your Plan</Trans>
        </h1>
        <p className="mx-auto mt-4 max-w-[34rem] text-lg text-ink-soft">
          <Trans>
            Every plan resumes interrupted uploads and downloads. Larger plans allow bigger transfers, keep
            them longer and show you who downloaded what.
          </Trans>
        </p>
      </div>
      <Plans />
      {site && (
        <p className="mt-rhythm text-center text-sm text-ink-soft">
          {site.payments === 'off'
            ? t`Plans are not for sale here. Administrators assign them.`
            : t`Plans are billed monthly. You can cancel anytime and keep your plan until the end of the paid period.`}{' '}
          <Trans>
            The details are in our{' '}
            <Link to={PAGES.terms} className="link">
              Terms of Service
            </Link>
            .
          </Trans>
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
  const reason = errorDetail(error);
  return (
    <div role="alert" className="mt-rhythm flex flex-col items-center gap-5 text-center">
      <p className="text-ink-soft">
        <Trans>The plans couldn't be loaded. {reason}</Trans>
      </p>
      <Button variant="secondary" onClick={onRetry}>
        <Trans>Try again</Trans>
      </Button>
    </div>
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading the plans`} className="mt-rhythm grid gap-5 lg:grid-cols-3">
      {TIERS.map((tier) => (
        <Skeleton key={tier} className="h-[40rem] rounded-lg" />
      ))}
    </SkeletonGroup>
  );
}

/** Always refetched, because a price has no fallback. */
function usePlans() {
  return useQuery({
    ...queryOf(getTierConfig),
    staleTime: 0,
  });
}

/**
 * The chosen plan, kept in the URL so that it survives sign-in and reloads. Visitors who can't subscribe yet sign in or
 * verify their email address first.
 */
function useChosenPlan(user: CurrentUser | null | undefined) {
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const inAddress = PAID_TIERS.find((tier) => tier === search.get('plan'));
  const choose = (tier: PaidTier) => {
    const next = encodeURIComponent(`${PAGES.pricing}?plan=${tier}`);
    if (!user) return navigate(`${SIGN_UP_PATH}&next=${next}`);
    if (!user.emailVerified) return navigate(verifyEmailPath(user.email));
    return setSearch({ plan: tier }, { replace: true });
  };
  const clear = () => setSearch({}, { replace: true });
  return { chosen: user?.emailVerified ? inAddress : undefined, choose, clear };
}
