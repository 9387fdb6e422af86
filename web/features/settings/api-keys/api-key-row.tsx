import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { useIsPast } from '../../../lib/time/use-is-past.ts';
import { EnableButton, RecoveryNotice } from '../recovery-notice.tsx';
import { useDeleteApiKey, useSwitchApiKey } from './api-key-queries.ts';

export function ApiKeyRow({ apiKey, isIncluded }: { apiKey: ApiKey; isIncluded: boolean }) {
  const { name, prefix, scopes, lastUsedAt, expiresAt, isActive, disabledReason, disabledAt } = apiKey;
  const isExpired = useIsPast(expiresAt);
  return (
    <li className="flex items-start gap-x-4 py-5 first:pt-0 last:pb-0 sm:items-center">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          {isExpired && (
            <Badge tone="danger">
              <Trans>Expired</Trans>
            </Badge>
          )}
          {!isActive && !disabledReason && (
            <Badge>
              <Trans>Off</Trans>
            </Badge>
          )}
        </p>
        <p className="tabular mt-1 flex flex-wrap gap-x-4 text-sm text-ink-soft">
          <span className="font-mono text-ink-faint">{prefix}…</span>
          <span>{describeScopes(scopes)}</span>
          {lastUsedAt ? (
            <TimeAgo at={lastUsedAt} describe={(when) => t`Used ${when}`} />
          ) : (
            <span>
              <Trans>Never used</Trans>
            </span>
          )}
          {expiresAt && !isExpired && <TimeAgo at={expiresAt} describe={(when) => t`Expires ${when}`} />}
        </p>
        {disabledReason && disabledAt && <RecoveryNotice reason={disabledReason} at={disabledAt} />}
      </div>
      <div className="flex shrink-0 items-center gap-1 max-sm:-mt-2">
        {isIncluded && <ActiveSwitch apiKey={apiKey} />}
        <DeleteKey apiKey={apiKey} />
      </div>
    </li>
  );
}

function TimeAgo({ at, describe }: { at: string; describe: (when: string) => string }) {
  const when = useRelativeTime(at);
  return <span title={formatDateTime(at)}>{describe(when)}</span>;
}

function describeScopes(scopes: ApiKey['scopes']): string {
  if (scopes.length > 1) return t`Read and write`;
  return scopes[0] === 'read' ? t`Read only` : t`Write only`;
}

/** Shows the choice at once and reverts it if the server refuses. */
function ActiveSwitch({ apiKey: { id, name, isActive, disabledReason } }: { apiKey: ApiKey }) {
  const { mutate, isPending, variables } = useSwitchApiKey(id);
  if (disabledReason) return <EnableButton name={name} isBusy={isPending} onClick={() => mutate(true)} />;
  return (
    <Switch
      label={t`${name} is active`}
      isLabelHidden
      checked={isPending ? variables : isActive}
      onChange={({ target }) => !isPending && mutate(target.checked)}
    />
  );
}

function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useDeleteApiKey(id);
  const confirm = () => mutate(undefined, { onSettled: () => setOpen(false) });
  return (
    <>
      <IconButton label={t`Delete ${name}`} icon={<Trash2 />} size="sm" onClick={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Delete this API key?`}
        description={
          <Trans>
            Apps that use <span className="wrap-anywhere">{name}</span> lose access immediately. This cannot
            be undone.
          </Trans>
        }
        confirmLabel={t`Delete key`}
        isDestructive
        isBusy={isPending}
        onConfirm={confirm}
      />
    </>
  );
}
