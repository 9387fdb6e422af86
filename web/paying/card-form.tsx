import type { PaymentStart } from '../../contracts/plans/billing.ts';
import { Skeleton, SkeletonGroup } from '../components/feedback/skeleton.tsx';
import { toast } from '../components/feedback/toast.ts';

/** What every provider's form is given. */
export type CardFormProps = {
  payment: PaymentStart;
  submitLabel: string;
  /** While the provider works nothing may be closed. */
  onWorking: (isWorking: boolean) => void;
  /** The provider has taken it; whether the plan holds is the server's to say. */
  onPaid: () => void;
};

export function sayPaymentFailed(reason: string): void {
  toast({ title: 'Payment Failed', description: reason, variant: 'destructive' });
}

/** As high as a card's form. */
export function FormPlaceholder() {
  return (
    <SkeletonGroup label="Loading the payment form" className="flex flex-col gap-5">
      <Skeleton className="h-control-lg" />
      <div className="flex gap-4">
        <Skeleton className="h-control-lg grow" />
        <Skeleton className="h-control-lg grow" />
      </div>
    </SkeletonGroup>
  );
}
