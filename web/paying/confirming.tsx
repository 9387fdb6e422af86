import { PAGES } from '../../contracts/values/pages.ts';
import { Button } from '../components/actions/button.tsx';
import { DialogFooter } from '../components/actions/dialog.tsx';
import { LinkButton } from '../components/actions/link-button.tsx';
import { Ripples } from '../components/layout/ripples.tsx';

type ConfirmingProps = { phase: 'confirming' | 'slow'; onAskAgain: () => void };

/** Between the payment and the provider's word for it. */
export function Confirming({ phase, onAskAgain }: ConfirmingProps) {
  if (phase === 'confirming')
    return (
      <div role="status" className="flex flex-col items-center gap-5 py-6 text-center">
        <Ripples motion="flow" tone="accent" count={5} className="size-40" />
        <p className="text-lg">Confirming your payment…</p>
      </div>
    );
  return (
    <>
      <div role="status">
        <p className="text-lg">This takes longer than usual.</p>
        <p className="mt-2 text-ink-soft">
          Your payment is with the provider. Your plan changes by itself as soon as it is confirmed: you need
          not wait here, and need not pay again.
        </p>
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onAskAgain}>
          Check again
        </Button>
        <LinkButton to={PAGES.dashboard}>Go to Dashboard</LinkButton>
      </DialogFooter>
    </>
  );
}
