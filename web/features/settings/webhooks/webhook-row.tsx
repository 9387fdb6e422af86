import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, Pencil, ScrollText, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { FORMAT_NAMES } from '../../../../contracts/accounts/webhook-formats.ts';
import type { Webhook } from '../../../../contracts/accounts/webhooks.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { EnableButton, RecoveryNotice } from '../recovery-notice.tsx';
import { focusSection } from '../settings-section.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EditWebhookDialog } from './webhook-form-dialog.tsx';
import { eventLabel } from './webhook-labels.ts';
import { useDeleteWebhook, useTestWebhook, useUpdateWebhook } from './webhook-queries.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const [isLogOpen, setLogOpen] = useState(false);
  const { format } = webhook;
  const name = webhook.description ?? (format === 'sendwell' ? hostOf(webhook) : FORMAT_NAMES[format]);
  return (
    <li aria-label={name} className="py-6 first:pt-0 last:pb-0">
      <div className="flex items-start gap-4">
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium wrap-anywhere">{name}</span>
            {format !== 'sendwell' && name !== FORMAT_NAMES[format] && <Badge>{FORMAT_NAMES[format]}</Badge>}
            <State webhook={webhook} />
          </p>
          <p className="mt-1 line-clamp-2 font-mono text-sm wrap-anywhere text-ink-faint">{webhook.url}</p>
          <p className="mt-1 text-sm text-ink-soft">{webhook.events.map(eventLabel).join(', ')}</p>
          <Trouble webhook={webhook} />
        </div>
        <ActiveSwitch webhook={webhook} name={name} />
      </div>
      <div className="mt-4 -ml-3.5 flex flex-wrap items-center gap-1">
        <Button
          variant="ghost"
          size="sm"
          icon={<ScrollText aria-hidden="true" />}
          aria-expanded={isLogOpen}
          onClick={() => setLogOpen(!isLogOpen)}
        >
          <Trans>Log</Trans>
        </Button>
        <SendTest webhook={webhook} onSent={() => setLogOpen(true)} />
        {format === 'sendwell' && <Secret webhook={webhook} name={name} />}
        <Edit webhook={webhook} name={name} />
        <Delete webhook={webhook} name={name} />
      </div>
      {isLogOpen && <DeliveryLog webhook={webhook} name={name} />}
    </li>
  );
}

function hostOf({ url }: Webhook): string {
  return URL.parse(url)?.host ?? url;
}

function State({ webhook: { isActive, failingSince, disabledAt } }: { webhook: Webhook }) {
  if (!isActive)
    return disabledAt ? null : (
      <Badge>
        <Trans>Off</Trans>
      </Badge>
    );
  return failingSince ? (
    <Badge tone="danger">
      <Trans>Failing</Trans>
    </Badge>
  ) : null;
}

const DISABLED_WORDS = {
  gone: t`Sendwell turned it off because the receiver responded with 410 Gone.`,
  failing: t`Sendwell turned it off because every attempt failed for three days.`,
};

function Trouble({ webhook: { isActive, disabledReason, disabledAt, failingSince } }: { webhook: Webhook }) {
  if (disabledReason === 'gone' || disabledReason === 'failing')
    return <p className="mt-2 text-sm text-danger-ink">{DISABLED_WORDS[disabledReason]}</p>;
  if (disabledReason && disabledAt) return <RecoveryNotice reason={disabledReason} at={disabledAt} />;
  return isActive && failingSince ? <FailingSince at={failingSince} /> : null;
}

function FailingSince({ at }: { at: string }) {
  const when = useRelativeTime(at);
  return (
    <p className="mt-2 text-sm text-danger-ink">
      <Trans>Deliveries started to fail {when}. After three days, Sendwell turns the webhook off.</Trans>
    </p>
  );
}

type Named = { webhook: Webhook; name: string };

/** Shows the choice at once and reverts it if the server refuses. */
function ActiveSwitch({ webhook: { id, isActive, disabledAt }, name }: Named) {
  const { mutate, isPending, variables } = useUpdateWebhook(id, {
    success: (saved) => ({ title: saved.isActive ? t`Webhook turned on` : t`Webhook turned off` }),
  });
  const change = (wanted: boolean) => mutate({ isActive: wanted });
  if (disabledAt) return <EnableButton name={name} isBusy={isPending} onClick={() => change(true)} />;
  return (
    <Switch
      label={t`${name} is active`}
      isLabelHidden
      checked={isPending ? (variables.isActive ?? isActive) : isActive}
      onChange={({ target }) => !isPending && change(target.checked)}
    />
  );
}

function SendTest({ webhook: { id, isActive }, onSent }: { webhook: Webhook; onSent: () => void }) {
  const { mutate, isPending } = useTestWebhook(id);
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={<Send aria-hidden="true" />}
      disabled={!isActive}
      isBusy={isPending}
      onClick={() => mutate(undefined, { onSuccess: onSent })}
    >
      <Trans>Test</Trans>
    </Button>
  );
}

function Secret({ webhook, name }: Named) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="ghost" size="sm" icon={<KeyRound aria-hidden="true" />} onClick={() => setOpen(true)}>
        <Trans>Secret</Trans>
      </Button>
      {isOpen && <WebhookSecretDialog webhook={webhook} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

function Edit({ webhook, name }: Named) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton label={t`Edit ${name}`} icon={<Pencil />} size="sm" onClick={() => setOpen(true)} />
      <EditWebhookDialog webhook={webhook} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function Delete({ webhook: { id }, name }: Named) {
  const [isOpen, setOpen] = useState(false);
  const { mutateAsync, isPending } = useDeleteWebhook(id);
  const confirm = async () => {
    // On success the row unmounts and its `mutate` callbacks don't run; the promise still settles.
    const isDeleted = await mutateAsync().then(
      () => true,
      () => false,
    );
    setOpen(false);
    if (isDeleted) setTimeout(() => focusSection('webhooks'));
  };
  return (
    <>
      <IconButton label={t`Delete ${name}`} icon={<Trash2 />} size="sm" onClick={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Delete this webhook?`}
        description={
          <Trans>
            <span className="wrap-anywhere">{name}</span> gets no more events, and its log is deleted. This
            cannot be undone.
          </Trans>
        }
        confirmLabel={t`Delete webhook`}
        isDestructive
        isBusy={isPending}
        onConfirm={() => void confirm()}
      />
    </>
  );
}
