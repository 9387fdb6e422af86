import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useEffect, useRef, useState } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import {
  beginTotp,
  confirmTotp,
  listFactors,
  removeTotp,
} from '../../../../contracts/accounts/sign-in/factors.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { QrCode } from '../../../components/actions/qr-code.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { CodeField } from '../../../components/form/code-field.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { CODE_LENGTH } from '../../../lib/values/code.ts';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { useFactors } from './factor-queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

type Secret = { secret: string; uri: string };

/** The app whose code is asked for after the password. */
export function AuthenticatorSection() {
  const { data: factors, error, refetch } = useFactors();
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<string[]>();
  const [isRemoving, setRemoving] = useState(false);
  const begin = useAction(beginTotp, { onSuccess: setSecret, failure: t`Not added` });
  const remove = useAction(removeTotp, {
    refreshes: [listFactors],
    success: { title: t`Authenticator app removed` },
    failure: t`Not removed`,
  });
  const app = factors?.app;
  return (
    <SettingsSection
      id="authenticator"
      title={t`Authenticator app`}
      description={t`After your password, signing in asks for a code that only your phone knows.`}
    >
      {!factors &&
        (error ? (
          <LoadFailure message={t`We couldn't load this.`} error={error} onRetry={refetch} />
        ) : (
          <Skeleton className="h-12" />
        ))}
      {factors &&
        (app ? (
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
            <p>
              <span className="font-medium">
                <Trans>Added on {formatDate(app.since)}</Trans>
              </span>
              <span className="block text-sm text-ink-faint">
                {app.lastUsedAt && <Trans>Last used on {formatDate(app.lastUsedAt)}</Trans>}
              </span>
            </p>
            <Button variant="secondary" isBusy={remove.isPending} onClick={() => setRemoving(true)}>
              <Trans>Remove</Trans>
            </Button>
          </div>
        ) : (
          <Button variant="secondary" isBusy={begin.isPending} onClick={() => begin.mutate()}>
            <Trans>Set up an app</Trans>
          </Button>
        ))}
      <Dialog
        isOpen={secret !== undefined}
        onOpenChange={() => setSecret(undefined)}
        title={t`Set up an authenticator app`}
        description={t`Scan this code with an app such as Aegis, Google Authenticator or 1Password, then enter the six digits it shows.`}
      >
        {secret && (
          <EnterFirstCode
            secret={secret}
            onAdded={(recoveryCodes) => {
              setSecret(undefined);
              setCodes(recoveryCodes);
            }}
          />
        )}
      </Dialog>
      {codes && (
        <RecoveryCodesDialog
          codes={codes}
          onClose={() => {
            setCodes(undefined);
            focusSection('authenticator');
          }}
        />
      )}
      <ConfirmDialog
        isOpen={isRemoving}
        onOpenChange={setRemoving}
        title={t`Remove the authenticator app?`}
        description={t`Signing in will no longer ask for its code. Without another factor your recovery codes become void, too.`}
        confirmLabel={t`Remove`}
        isDestructive
        onConfirm={() => {
          setRemoving(false);
          remove.mutate();
        }}
      />
    </SettingsSection>
  );
}

type EnterFirstCodeProps = { secret: Secret; onAdded: (recoveryCodes: string[] | undefined) => void };

function EnterFirstCode({ secret: { secret, uri }, onAdded }: EnterFirstCodeProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const { startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(confirmTotp, {
    refreshes: [listFactors],
    onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
    success: { title: t`Authenticator app added` },
    failure: () => undefined,
    onError: (refusal) => {
      startAfter(refusal);
      setError(errorDetail(refusal));
    },
  });
  const sent = useRef('');
  const change = useCallback(
    (next: string) => {
      setCode(next);
      setError(undefined);
      if (next.length !== CODE_LENGTH || next === sent.current) return;
      sent.current = next;
      mutate({ body: { code: next } });
    },
    [mutate],
  );
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (error) field.current?.select();
  }, [error]);
  return (
    <div className="flex flex-col gap-6">
      <QrCode text={uri} label={t`QR code for your authenticator app`} className="mx-auto size-48" />
      <div>
        <p className="text-sm text-ink-soft">
          <Trans>If you cannot scan it, enter this key:</Trans>
        </p>
        <p className="mt-1 flex items-center gap-2">
          <code className="min-w-0 wrap-anywhere">{groupOf(secret)}</code>
          <CopyButton text={secret} label={t`Copy the key`} isIconOnly variant="ghost" size="sm" />
        </p>
      </div>
      <CodeField
        ref={field}
        label={t`Code of your authenticator app`}
        value={code}
        onChange={change}
        error={isPending ? undefined : error}
      />
    </div>
  );
}

function groupOf(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
