import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
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
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { formatLongDate } from '../../../lib/time/format-dates.ts';
import { PAY_PARAMETER } from '../../../paying/pay-now.ts';
import { keepSubscription } from '../../../paying/subscription-queries.ts';
import { focusSection } from '../settings-section.tsx';

export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const [isOpen, setOpen] = useState(false);
  const name = tierLabel(subscription.tier);
  const day = endOf(subscription);
  const { run, isPending } = useAction(cancelSubscription, {
    ...SHOW_PLAN,
    success: (changed) => ({
      title: t`Plan canceled`,
      description: describeEnd(name, endOf(changed)),
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
        description={
          day
            ? t`You keep ${name} until ${day}, and nothing more is charged. After that, you have the Free plan. Transfers you have sent keep their current limits. Until then, you can resume anytime.`
            : t`You keep ${name} until the end of the paid period, and nothing more is charged. After that, you have the Free plan. Transfers you have sent keep their current limits. Until then, you can resume anytime.`
        }
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
    success: (changed) => {
      const day = endOf(changed);
      return {
        title: t`Plan resumed`,
        description: day ? t`It renews on ${day}.` : t`It renews at the end of the paid period.`,
      };
    },
  });
  return (
    <Button variant="secondary" size="sm" isBusy={isPending} onClick={() => mutate()}>
      <Trans>Resume</Trans>
    </Button>
  );
}

/** Cancels a scheduled downgrade. */
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

function endOf({ renewsAt }: Subscription): string | undefined {
  return renewsAt ? formatLongDate(renewsAt) : undefined;
}

function describeEnd(name: string, day: string | undefined): string {
  return day ? t`You have ${name} until ${day}.` : t`You have ${name} until the end of the paid period.`;
}

const SHOW_PLAN = {
  onSuccess: async (changed: Subscription) => {
    await keepSubscription(changed);
    // The pressed button is gone.
    focusSection('plan');
  },
};
