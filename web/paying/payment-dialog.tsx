import { Trans } from '@lingui/react/macro';
import { type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { PaymentStart, Subscription } from '../../contracts/plans/billing.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { Button } from '../components/actions/button.tsx';
import { LinkButton } from '../components/actions/link-button.tsx';
import { Dialog, DialogFooter } from '../components/dialogs/dialog.tsx';
import { Ripples } from '../components/layout/ripples.tsx';
import { classNames } from '../lib/class-names.ts';
import { lazy } from '../lib/loading/lazy.ts';
import { type CardFormProps, FormPlaceholder } from './card-form.tsx';
import { DemoCardForm } from './demo-card-form.tsx';
import { waitForSubscription } from './subscription-queries.ts';

type PaymentDialogProps = {
  title: string;
  payment: PaymentStart | undefined;
  submitLabel: string;
  /** Blocks the form while another payment replaces this one. */
  isChanging?: boolean;
  /** Whether the plan is the one paid for. */
  isReached: (subscription: Subscription) => boolean;
  /** Called once the server confirms the payment. */
  onDone: () => void;
  onClose: () => void;
  children?: ReactNode;
};

/** Takes a payment, then waits until the server confirms it. */
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

function Payment(props: PaymentProps) {
  const { payment, submitLabel, isChanging = false, isReached, onDone, onFix, children } = props;
  const [isWorking, setWorking] = useState(false);
  const { phase, start } = useConfirmation({ isReached, onDone });
  const isFixed = isWorking || phase === 'confirming';
  useEffect(() => {
    onFix(isFixed);
    return () => onFix(false);
  }, [isFixed, onFix]);
  // An upgrade may already be paid with the saved card.
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

/** Loaded lazily: the provider's library is heavy, and most users never pay. */
const StripeForm = lazy(() => import('./stripe-form.tsx').then((module) => ({ default: module.StripeForm })));

function PaymentForm(props: CardFormProps) {
  const { provider, clientSecret } = props.payment;
  if (provider === 'demo') return <DemoCardForm {...props} />;
  return (
    <Suspense fallback={<FormPlaceholder />}>
      {/* A Stripe form can't change its payment. */}
      <StripeForm key={clientSecret} {...props} />
    </Suspense>
  );
}

type ConfirmingProps = { phase: 'confirming' | 'slow'; onAskAgain: () => void };

function Confirming({ phase, onAskAgain }: ConfirmingProps) {
  if (phase === 'confirming')
    return (
      <div role="status" className="flex flex-col items-center gap-5 py-6 text-center">
        <Ripples motion="flow" tone="accent" count={5} className="size-40" />
        <p className="text-lg">
          <Trans>Confirming your payment…</Trans>
        </p>
      </div>
    );
  return (
    <>
      <div role="status">
        <p className="text-lg">
          <Trans>This is taking longer than usual.</Trans>
        </p>
        <p className="mt-2 text-ink-soft">
          <Trans>
            We're waiting for the payment provider. Your plan changes automatically once the payment is
            confirmed. You can leave this page, and you don't need to pay again.
          </Trans>
        </p>
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onAskAgain}>
          <Trans>Check again</Trans>
        </Button>
        <LinkButton to={PAGES.dashboard}>
          <Trans>Go to Dashboard</Trans>
        </LinkButton>
      </DialogFooter>
    </>
  );
}

type ConfirmationPhase = 'idle' | 'confirming' | 'slow';

type Confirmation = { isReached: (subscription: Subscription) => boolean; onDone: () => void };

/** Waits until a payment is confirmed; `slow` after half a minute. Aborts on unmount. */
function useConfirmation({ isReached, onDone }: Confirmation) {
  const [phase, setPhase] = useState<ConfirmationPhase>('idle');
  const wait = useRef<AbortController>(null);
  useEffect(() => () => wait.current?.abort(), []);
  const start = async () => {
    wait.current?.abort();
    wait.current = new AbortController();
    const { signal } = wait.current;
    setPhase('confirming');
    try {
      const reached = await waitForSubscription(isReached, signal);
      if (reached) onDone();
      else setPhase('slow');
    } catch {
      if (!signal.aborted) setPhase('slow');
    }
  };
  return { phase, start };
}
