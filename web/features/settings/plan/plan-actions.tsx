import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import {
  cancelSubscription,
  changeSubscription,
  type PaidTier,
  resumeSubscription,
  type Subscription,
} from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/actions/confirm-dialog.tsx';
import { formatLongDate } from '../../../lib/time/format-dates.ts';
import { PAY_PARAMETER } from '../../../paying/pay-now.ts';
import { keepSubscription } from '../../../paying/subscription-queries.ts';
import { focusSection } from '../settings-section.tsx';

/** Cancellation takes effect at the end of the paid period. */
export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const [isOpen, setOpen] = useState(false);
  const name = tierLabel(subscription.tier);
  const day = endOf(subscription);
  const { run, isPending } = useAction(cancelSubscription, {
    ...SHOW_PLAN,
    success: (changed) => ({
      title: t`Plan cancelled`,
      description: t`You have ${name} until ${endOf(changed)}.`,
    }),
  });
  return (
    <>
      <Button variant="ghost" size="sm" className="mt-6 -ml-3.5" onClick={() => setOpen(true)}>
        <Trans>Cancel plan</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Cancel ${name}?`}
        description={t`You keep ${name} until ${day}; after that you have Free and nothing more is charged. Transfers you have sent keep what they were promised. Until then you can resume at any time.`}
        confirmLabel={t`Cancel plan`}
        cancelLabel={t`Keep plan`}
        isDestructive
        isBusy={isPending}
        onConfirm={() => void run().then(() => setOpen(false))}
      />
    </>
  );
}

export function ResumePlan() {
  const { mutate, isPending } = useAction(resumeSubscription, {
    ...SHOW_PLAN,
    success: (changed) => ({ title: t`Plan resumed`, description: t`It is renewed on ${endOf(changed)}.` }),
  });
  return (
    <Button variant="secondary" size="sm" isBusy={isPending} onClick={() => mutate()}>
      <Trans>Resume</Trans>
    </Button>
  );
}

/** Undoes a scheduled downgrade. */
export function KeepPlan({ subscription }: { subscription: Subscription }) {
  const name = tierLabel(subscription.tier);
  const { mutate, isPending } = useAction(changeSubscription, {
    ...SHOW_PLAN,
    success: { title: t`Plan kept`, description: t`You stay on ${name}.` },
  });
  const keep = () => mutate({ body: { tier: subscription.tier as PaidTier } });
  return (
    <Button variant="secondary" size="sm" isBusy={isPending} onClick={keep}>
      <Trans>Keep {name}</Trans>
    </Button>
  );
}

/** Opens the payment through the page's address, so that it survives a reload. */
export function PayNow() {
  const [search, setSearch] = useSearchParams();
  const isOpening = search.has(PAY_PARAMETER);
  return (
    <Button
      size="sm"
      isBusy={isOpening}
      onClick={() => setSearch({ [PAY_PARAMETER]: 'now' }, { replace: true })}
    >
      <Trans>Pay now</Trans>
    </Button>
  );
}

function endOf({ renewsAt }: Subscription): string {
  return renewsAt ? formatLongDate(renewsAt) : t`the end of the paid period`;
}

/** Options of every change of the plan. */
const SHOW_PLAN = {
  onSuccess: async (changed: Subscription) => {
    await keepSubscription(changed);
    // The pressed button is gone.
    focusSection('plan');
  },
};
