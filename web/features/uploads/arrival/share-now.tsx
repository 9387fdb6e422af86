import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';

type ShareNowProps = { onShare: () => Promise<void> };

/** Shares the link while files are being sent, after saying what that means. */
export function ShareNow({ onShare }: ShareNowProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const share = async () => {
    setConfirming(false);
    setSharing(true);
    await onShare();
    setSharing(false);
  };
  return (
    <>
      <Button variant="secondary" icon={<Radio />} isBusy={isSharing} onClick={() => setConfirming(true)}>
        <Trans>Share the link now</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onOpenChange={setConfirming}
        title={t`Share before the upload ends?`}
        description={t`Recipients can start downloading while your files arrive. The settings stay as they are now, and what somebody has downloaded can’t be taken back if you cancel. Emails are sent when everything has arrived.`}
        confirmLabel={t`Share the link now`}
        cancelLabel={t`Not yet`}
        onConfirm={() => void share()}
      />
    </>
  );
}
