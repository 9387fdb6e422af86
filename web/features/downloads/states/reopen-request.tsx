import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { lateModule } from '../../../lib/loading/late-module.ts';

/** Few visitors need it. */
const useReopenForm = lateModule(() => import('./reopen-form.tsx'));

export function ReopenRequest({ token }: { token: string }) {
  const [isOpen, setOpen] = useState(false);
  const form = useReopenForm(isOpen);
  const [isAsked, setAsked] = useState(false);
  if (isAsked)
    return (
      <p role="status" tabIndex={-1} ref={focus} className="max-w-[34rem] text-ink-soft outline-none">
        <Trans>
          <strong className="font-semibold text-ink">Request sent.</strong> If the sender reopens the
          transfer, this link works again.
        </Trans>
      </p>
    );
  return (
    <>
      <Button variant="secondary" icon={<BellRing aria-hidden="true" />} onClick={() => setOpen(true)}>
        <Trans>Ask the sender to reopen</Trans>
      </Button>
      <Dialog
        isOpen={isOpen && form !== undefined}
        onOpenChange={setOpen}
        title={t`Ask the sender to reopen`}
        description={t`We email the sender that someone still needs these files.`}
      >
        {form && (
          <form.ReopenForm token={token} onClose={() => setOpen(false)} onAsked={() => setAsked(true)} />
        )}
      </Dialog>
    </>
  );
}

/** The button that had the focus is gone. */
function focus(element: HTMLElement | null): void {
  element?.focus();
}
