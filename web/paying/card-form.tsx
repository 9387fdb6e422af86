import { t } from '@lingui/core/macro';
import type { PaymentStart } from '../../contracts/plans/billing.ts';
import { Skeleton, SkeletonGroup } from '../components/feedback/skeleton.tsx';
import { type ToastInput, toast } from '../components/feedback/toast.ts';

export type CardFormProps = {
  payment: PaymentStart;
  submitLabel: string;
  /** The dialog can't be closed while the provider is working. */
  onWorking: (isWorking: boolean) => void;
  /** The provider accepted the payment. The plan changes later, when the server confirms it. */
  onPaid: () => void;
};

export function describePaymentFailure(reason: string): ToastInput {
  return { title: t`Payment Failed`, description: reason };
}

export function sayPaymentFailed(reason: string): void {
  toast({ ...describePaymentFailure(reason), variant: 'destructive' });
}

export function FormPlaceholder() {
  return (
    <SkeletonGroup label={t`Loading the payment form`} className="flex flex-col gap-5">
      <Skeleton className="h-control-lg" />
      <div className="flex gap-4">
        <Skeleton className="h-control-lg grow" />
        <Skeleton className="h-control-lg grow" />
      </div>
    </SkeletonGroup>
  );
}
