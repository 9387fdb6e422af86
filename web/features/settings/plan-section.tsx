import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { useSubscription } from '../../billing/subscription-queries.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { LoadFailure } from './load-failure.tsx';
import { PlanInvoices } from './plan-invoices.tsx';
import { PlanPayment } from './plan-payment.tsx';
import { PlanState } from './plan-state.tsx';
import { SettingsSection } from './settings-section.tsx';

/** What one has, what it costs, and how it goes on. */
export function PlanSection({ user }: { user: CurrentUser }) {
  const { data: subscription, error, isFetching, refetch } = useSubscription(user);
  return (
    <SettingsSection
      id="plan"
      action={
        <LinkButton to={PAGES.pricing} variant="secondary" size="sm">
          {subscription?.provider === 'off' ? 'Compare plans' : 'Change plan'}
        </LinkButton>
      }
    >
      {subscription && (
        <>
          <PlanState subscription={subscription} />
          <PlanPayment subscription={subscription} />
        </>
      )}
      {!subscription && error && (
        <LoadFailure what="Your plan" error={error} onRetry={() => void refetch()} />
      )}
      {!subscription && !error && (
        <SkeletonGroup label="Loading your plan">
          <Skeleton className="h-9 w-40" />
          <Skeleton className="mt-4 h-12 w-80 max-w-full" />
        </SkeletonGroup>
      )}
      <PlanInvoices isReady={!isFetching} />
    </SettingsSection>
  );
}
