import type { PaymentStart } from '../../contracts/plans/billing.ts';
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
