import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { refusalText } from '../../../../client/api-error.ts';
import {
  cancelSubscription,
  changeSubscription,
  type PaidTier,
  resumeSubscription,
  type Subscription,
} from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { call } from '../../../api/call.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/actions/confirm-dialog.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { formatLongDate } from '../../../lib/time/format-dates.ts';
import { PAY_PARAMETER } from '../../../paying/pay-now.ts';
import { keepSubscription } from '../../../paying/subscription-queries.ts';
import { focusSection } from '../settings-section.tsx';

/** Cancellation takes effect at the end of the paid period. */
export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const [isOpen, setOpen] = useState(false);
  const { change, isBusy } = usePlanChange();
  const name = tierLabel(subscription.tier);
  const day = endOf(subscription);
  const cancel = async () => {
    await change(
      () => call(cancelSubscription),
      (changed) => ({ title: 'Plan cancelled', description: `You have ${name} until ${endOf(changed)}.` }),
    );
    setOpen(false);
  };
  return (
    <>
      <Button variant="ghost" size="sm" className="mt-6 -ml-3.5" onClick={() => setOpen(true)}>
        Cancel plan
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={`Cancel ${name}?`}
        description={
          `You keep ${name} until ${day}; after that you have Free and nothing more is charged. ` +
          'Transfers you have sent keep what they were promised. Until then you can resume at any time.'
        }
        confirmLabel="Cancel plan"
        cancelLabel="Keep plan"
        isDestructive
        isBusy={isBusy}
        onConfirm={() => void cancel()}
      />
    </>
  );
}

export function ResumePlan() {
  const { change, isBusy } = usePlanChange();
  const resume = () =>
    change(
      () => call(resumeSubscription),
      (changed) => ({ title: 'Plan resumed', description: `It is renewed on ${endOf(changed)}.` }),
    );
  return (
    <Button variant="secondary" size="sm" isBusy={isBusy} onClick={() => void resume()}>
      Resume
    </Button>
  );
}

/** Undoes a scheduled downgrade. */
export function KeepPlan({ subscription }: { subscription: Subscription }) {
  const { change, isBusy } = usePlanChange();
  const name = tierLabel(subscription.tier);
  const keep = () =>
    change(
      () => call(changeSubscription, { body: { tier: subscription.tier as PaidTier } }),
      () => ({ title: 'Plan kept', description: `You stay on ${name}.` }),
    );
  return (
    <Button variant="secondary" size="sm" isBusy={isBusy} onClick={() => void keep()}>
      Keep {name}
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
      Pay now
    </Button>
  );
}

function endOf({ renewsAt }: Subscription): string {
  return renewsAt ? formatLongDate(renewsAt) : 'the end of the paid period';
}

type Words = { title: string; description: string };

/** Sends a change of the plan and shows the outcome. */
function usePlanChange() {
  const [isBusy, setBusy] = useState(false);
  const change = async (
    send: () => Promise<Subscription>,
    describe: (changed: Subscription) => Words,
  ): Promise<void> => {
    setBusy(true);
    try {
      const changed = await send();
      await keepSubscription(changed);
      toast(describe(changed));
      // The pressed button is gone.
      focusSection('plan');
    } catch (error) {
      toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
    } finally {
      setBusy(false);
    }
  };
  return { change, isBusy };
}
