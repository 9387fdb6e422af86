import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { OLD_SECRET_HOURS, type Webhook } from '../../../../contracts/accounts/webhooks.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/actions/confirm-dialog.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Dialog } from '../../../components/actions/dialog.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRotateSecret, useWebhookSecret } from './webhook-queries.ts';

type WebhookSecretDialogProps = { webhook: Webhook; name: string; onClose: () => void };

/** The secret is masked until the user shows it. */
export function WebhookSecretDialog({ webhook, name, onClose }: WebhookSecretDialogProps) {
  const { data, error, refetch } = useWebhookSecret(webhook.id);
  const [isShown, setShown] = useState(false);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t`Signing secret`}
      description={
        <Trans>
          Check the signatures of <span className="wrap-anywhere">{name}</span> with it, by any library for
          Standard Webhooks.
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
      {!data && error && <LoadFailure what={t`The secret`} error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <SkeletonGroup label={t`Loading the secret`}>
          <Skeleton className="h-11" />
        </SkeletonGroup>
      )}
      {webhook.oldSecretUntil && (
        <p className="mt-5 text-sm text-ink-soft">
          <Trans>
            Events are also signed with the previous secret until {formatDateTime(webhook.oldSecretUntil)}.
          </Trans>
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
        title={t`Make a new secret?`}
        description={t`Events are signed by both for ${OLD_SECRET_HOURS} hours, so that your receiver can change over without losing one. Then by the new one only.`}
        confirmLabel={t`Rotate secret`}
        isBusy={isPending}
        onConfirm={() => mutate(undefined, { onSettled: () => setOpen(false) })}
      />
    </>
  );
}
