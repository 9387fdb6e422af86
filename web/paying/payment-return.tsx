import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { toast } from '../components/feedback/toast.ts';
import { sayPaymentFailed } from './card-form.tsx';
import { waitForSubscription } from './subscription-queries.ts';

/** Stripe adds it to the return address after a bank's own page. */
const RETURN_PARAMETER = 'redirect_status';

/** Payments return to the dashboard, so this is rendered there. */
export function PaymentReturn() {
  const [search, setSearch] = useSearchParams();
  const status = search.get(RETURN_PARAMETER);
  useEffect(() => {
    if (status === null) return;
    // The query also contains secrets of the payment.
    setSearch({}, { replace: true });
    if (status === 'failed') sayPaymentFailed(t`The payment was not confirmed. Please try again.`);
    else void greetWhenPaid();
  }, [status, setSearch]);
  return null;
}

async function greetWhenPaid(): Promise<void> {
  toast({ title: t`Confirming your payment…` });
  const paid = await waitForSubscription(
    ({ tier, status }) => tier !== 'free' && (status === 'active' || status === 'trialing'),
    new AbortController().signal,
  ).catch(() => undefined);
  toast(
    paid
      ? { title: t`Payment Successful`, description: t`Welcome to your new plan!` }
      : {
          title: t`This is taking longer than usual`,
          description: t`Your plan changes automatically once the payment is confirmed.`,
        },
  );
}
