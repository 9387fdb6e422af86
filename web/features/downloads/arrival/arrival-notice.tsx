import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { lateModule } from '../../../lib/loading/late-module.ts';

type ArrivalNoticeProps = {
  token: string;
  /** Everything arrived before the request was sent. */
  onArrived: () => Promise<unknown>;
};

const useNoticeForm = lateModule(() => import('./arrival-notice-form.tsx'));

/** For visitors who don't want to keep the page open. */
export function ArrivalNotice({ token, onArrived }: ArrivalNoticeProps) {
  const [isOpen, setOpen] = useState(false);
  const form = useNoticeForm(isOpen);
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
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="ghost" size="sm" icon={<Mail />} onClick={() => setOpen(true)}>
        <Trans>Email me when it’s all here</Trans>
      </Button>
      <Dialog
        isOpen={isOpen && form !== undefined}
        onOpenChange={setOpen}
        title={t`Email me when it’s all here`}
        description={t`You’ll get one email with the link to this page.`}
      >
        {form && (
          <form.ArrivalNoticeForm
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
