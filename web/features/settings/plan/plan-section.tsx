import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { refusalText } from '../../../../client/api-error.ts';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { type PaymentStart, payOpenInvoice, type Subscription } from '../../../../contracts/plans/billing.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { formatCents } from '../../../../contracts/values/format.ts';
import { call } from '../../../api/call.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { PAY_PARAMETER } from '../../../paying/pay-now.ts';
import { PaymentDialog } from '../../../paying/payment-dialog.tsx';
import {
  fetchSubscription,
  keepSubscription,
  useSubscription,
} from '../../../paying/subscription-queries.ts';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { PlanInvoices } from './plan-invoices.tsx';
import { PlanState } from './plan-state.tsx';

export function PlanSection({ user }: { user: CurrentUser }) {
  const { data: subscription, error, isFetching, isFetchedAfterMount, refetch } = useSubscription(user);
  return (
    <SettingsSection
      id="plan"
      title={t`Plan`}
      action={
        <LinkButton to={PAGES.pricing} variant="secondary" size="sm">
          {subscription?.provider === 'off' ? t`Compare plans` : t`Change plan`}
        </LinkButton>
      }
    >
      {subscription && (
        <>
          <PlanState subscription={subscription} />
          {/* Reading the subscription may change it, and the server refuses a payment at the same time. */}
          {isFetchedAfterMount && <PlanPayment subscription={subscription} />}
        </>
      )}
      {!subscription && error && (
        <LoadFailure
          message={t`Your plan couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!subscription && !error && (
        <SkeletonGroup label={t`Loading your plan`}>
          <Skeleton className="h-9 w-40" />
          <Skeleton className="mt-4 h-12 w-80 max-w-full" />
        </SkeletonGroup>
      )}
      <PlanInvoices isReady={!isFetching} />
    </SettingsSection>
  );
}

/** Pays the open invoice of a failed payment when the address asks for it. */
function PlanPayment({ subscription }: { subscription: Subscription }) {
  const [search, setSearch] = useSearchParams();
  const isWanted = search.has(PAY_PARAMETER);
  const [isOwed] = useState(subscription.status === 'past_due');
  if (!isWanted || !(isOwed || subscription.status === 'past_due')) return null;
  return <OpenPayment onClose={() => setSearch({}, { replace: true })} />;
}

function OpenPayment({ onClose }: { onClose: () => void }) {
  const [payment, setPayment] = useState<PaymentStart>();
  const giveUp = useEffectEvent((error: unknown) => {
    toast({ title: t`Error`, description: refusalText(error), variant: 'destructive' });
    onClose();
    // It may have been paid meanwhile.
    fetchSubscription().then(keepSubscription, () => undefined);
  });
  useEffect(() => {
    let isThere = true;
    call(payOpenInvoice).then(
      (begun) => isThere && setPayment(begun),
      (error) => isThere && giveUp(error),
    );
    return () => {
      isThere = false;
    };
  }, []);
  const finish = () => {
    toast({ title: t`Payment Successful`, description: t`Thank you. Your plan continues.` });
    onClose();
    focusSection('plan');
  };
  const amount = payment && formatCents(payment.dueCents);
  return (
    <PaymentDialog
      title={t`Pay Now`}
      payment={payment}
      submitLabel={amount ? t`Pay ${amount}` : t`Pay`}
      isReached={({ status }) => status === 'active' || status === 'trialing'}
      onDone={finish}
      onClose={onClose}
    >
      <p className="mb-6 text-ink-soft">
        <Trans>
          Pay with your current card or another one. Future payments are charged to the card you use now.
        </Trans>
      </p>
    </PaymentDialog>
  );
}
