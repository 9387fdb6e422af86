import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { PaymentStart, Subscription } from '../../contracts/plans/billing.ts';
import { Dialog } from '../components/actions/dialog.tsx';
import { classNames } from '../lib/class-names.ts';
import { Confirming } from './confirming.tsx';
import { PaymentForm } from './payment-form.tsx';
import { useConfirmation } from './use-confirmation.ts';

type PaymentDialogProps = {
  title: string;
  /** While there is one the dialog is open. */
  payment: PaymentStart | undefined;
  submitLabel: string;
  /** Another payment is about to take this one's place: until then nothing can be paid. */
  isChanging?: boolean;
  /** Whether the plan is as it is paid for. */
  isReached: (subscription: Subscription) => boolean;
  /** It is paid, and the server says so. */
  onDone: () => void;
  onClose: () => void;
  /** What is paid for, above the form. */
  children?: ReactNode;
};

/** Takes a payment, then waits for the provider's word. */
export function PaymentDialog(props: PaymentDialogProps) {
  const { title, payment, onClose } = props;
  const [isFixed, setFixed] = useState(false);
  return (
    <Dialog
      isOpen={payment !== undefined}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={title}
      isDismissible={!isFixed}
    >
      {payment && <Payment {...props} payment={payment} onFix={setFixed} />}
    </Dialog>
  );
}

type PaymentProps = PaymentDialogProps & { payment: PaymentStart; onFix: (isFixed: boolean) => void };

/** Lives as long as the dialog is open. */
function Payment(props: PaymentProps) {
  const { payment, submitLabel, isChanging = false, isReached, onDone, onFix, children } = props;
  const [isWorking, setWorking] = useState(false);
  const { phase, start } = useConfirmation({ isReached, onDone });
  const isFixed = isWorking || phase === 'confirming';
  useEffect(() => {
    onFix(isFixed);
    return () => onFix(false);
  }, [isFixed, onFix]);
  // An upgrade may have been paid with the known card already.
  const isNothingToConfirm = payment.clientSecret === '';
  const startAtOnce = useEffectEvent(start);
  useEffect(() => {
    if (isNothingToConfirm) void startAtOnce();
  }, [isNothingToConfirm]);
  if (phase !== 'idle') return <Confirming phase={phase} onAskAgain={start} />;
  if (isNothingToConfirm) return null;
  return (
    <>
      <div inert={isWorking}>{children}</div>
      <div
        inert={isChanging}
        aria-busy={isChanging}
        className={classNames('transition-opacity duration-(--brisk)', isChanging && 'opacity-40')}
      >
        <PaymentForm {...{ payment, submitLabel }} onWorking={setWorking} onPaid={start} />
      </div>
    </>
  );
}
