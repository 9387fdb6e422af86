import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { OLD_SECRET_HOURS, type Webhook } from '../../../../contracts/accounts/webhooks.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRotateSecret, useWebhookSecret } from './webhook-queries.ts';

type WebhookSecretDialogProps = { webhook: Webhook; name: string; onClose: () => void };

/** The secret is masked until the user shows it. */
export function WebhookSecretDialog({ webhook, name, onClose }: WebhookSecretDialogProps) {
  const { data, error, refetch } = useWebhookSecret(webhook.id);
  const [isShown, setShown] = useState(false);
  const endTime = webhook.oldSecretUntil && formatDateTime(webhook.oldSecretUntil);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t`Signing secret`}
      description={
        <Trans>
          Use it to verify the signatures of <span className="wrap-anywhere">{name}</span> with any Standard
          Webhooks library.
        </Trans>
      }
      footer={
        <>
          <Rotate id={webhook.id} />
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      {data && (
        <div>
          <p className="rounded-lg bg-sunken px-4 py-3 font-mono text-sm wrap-anywhere select-all">
            {isShown ? data.secret : `whsec_${'•'.repeat(24)}`}
          </p>
          <div className="mt-3 flex flex-wrap gap-3">
            <Button variant="secondary" size="sm" onClick={() => setShown(!isShown)}>
              {isShown ? t`Hide` : t`Show`}
            </Button>
            <CopyButton
              text={data.secret}
              label={t`Copy Secret`}
              size="sm"
              onCopied={() => toast({ title: t`Copied` })}
            />
          </div>
        </div>
      )}
      {!data && error && (
        <LoadFailure
          message={t`The secret couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonGroup label={t`Loading the secret`}>
          <Skeleton className="h-11" />
        </SkeletonGroup>
      )}
      {endTime && (
        <p className="mt-5 text-sm text-ink-soft">
          <Trans>Events are also signed with the previous secret until {endTime}.</Trans>
        </p>
      )}
    </Dialog>
  );
}

function Rotate({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useRotateSecret(id);
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        <Trans>Rotate</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Create a new secret?`}
        description={t`For ${OLD_SECRET_HOURS} hours, events are signed with both secrets so that you can update your receiver. After that, only the new secret is used.`}
        confirmLabel={t`Rotate secret`}
        isBusy={isPending}
        onConfirm={() => mutate(undefined, { onSettled: () => setOpen(false) })}
      />
    </>
  );
}
