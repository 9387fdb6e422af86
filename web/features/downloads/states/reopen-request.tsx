import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import type { ReopenForm } from './reopen-form.tsx';

/** Loads the form on opening, because few visitors need it. */
export function ReopenRequest({ token }: { token: string }) {
  const [Form, setForm] = useState<typeof ReopenForm>();
  const [isOpen, setOpen] = useState(false);
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
  const open = async () => {
    const loaded = await import('./reopen-form.tsx');
    setForm(() => loaded.ReopenForm);
    setOpen(true);
  };
  return (
    <>
      <Button variant="secondary" icon={<BellRing aria-hidden="true" />} onClick={() => void open()}>
        <Trans>Ask the sender to reopen</Trans>
      </Button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Ask the sender to reopen`}
        description={t`We email the sender that someone still needs these files.`}
      >
        {Form && <Form token={token} onClose={() => setOpen(false)} onAsked={() => setAsked(true)} />}
      </Dialog>
    </>
  );
}

/** The button that had the focus is gone. */
function focus(element: HTMLElement | null): void {
  element?.focus();
}
