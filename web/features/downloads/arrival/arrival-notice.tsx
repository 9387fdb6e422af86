import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import type { ArrivalNoticeForm } from './arrival-notice-form.tsx';

type ArrivalNoticeProps = {
  token: string;
  /** Everything arrived before the request was sent. */
  onArrived: () => Promise<unknown>;
};

/** For visitors who don't want to keep the page open. Loads the form on opening. */
export function ArrivalNotice({ token, onArrived }: ArrivalNoticeProps) {
  const [Form, setForm] = useState<typeof ArrivalNoticeForm>();
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  if (isAsked)
    return (
      <p
        role="status"
        tabIndex={-1}
        ref={focus}
        className="min-w-48 grow basis-0 px-1 text-sm text-ink-soft outline-none"
      >
        <Trans>
          <strong className="font-semibold text-ink">We’ll email you</strong> when it’s all here. You can
          close this page.
        </Trans>
      </p>
    );
  const open = async () => {
    const loaded = await import('./arrival-notice-form.tsx');
    setForm(() => loaded.ArrivalNoticeForm);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="ghost" size="sm" icon={<Mail />} onClick={() => void open()}>
        <Trans>Email me when it’s all here</Trans>
      </Button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Email me when it’s all here`}
        description={t`You’ll get one email with the link to this page.`}
      >
        {Form && (
          <Form
            token={token}
            onClose={close}
            onAsked={() => setAsked(true)}
            onArrived={() => {
              close();
              return onArrived();
            }}
          />
        )}
      </Dialog>
    </>
  );
}

/** The button that had the focus is gone. */
function focus(element: HTMLElement | null): void {
  element?.focus();
}
