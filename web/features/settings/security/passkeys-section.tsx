import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fingerprint, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import {
  addPasskey,
  beginPasskey,
  listFactors,
  RenamePasskeyInput,
  removePasskey,
  renamePasskey,
} from '../../../../contracts/accounts/sign-in/factors.ts';
import type { Passkey } from '../../../../contracts/accounts/sign-in/passkeys.ts';
import { call } from '../../../api/call.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { createPasskey, describePasskeyObstacle } from '../../../signing-in/passkeys.ts';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { useFactors } from './factor-queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

const ID = 'passkeys';

export function PasskeysSection() {
  const { data: factors, error, refetch } = useFactors();
  const passkeys = factors?.passkeys ?? [];
  return (
    <SettingsSection
      id={ID}
      title={t`Passkeys`}
      description={t`Sign in with your fingerprint, your face or the PIN of your device instead of a password.`}
    >
      {!factors &&
        (error ? (
          <LoadFailure message={t`We couldn't load this.`} error={error} onRetry={refetch} />
        ) : (
          <Skeleton className="h-12" />
        ))}
      {passkeys.length > 0 && (
        <ul aria-label={t`Passkeys`} className="mb-7 flex flex-col divide-y divide-line">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {factors && <AddPasskey />}
    </SettingsSection>
  );
}

function AddPasskey() {
  const obstacle = describePasskeyObstacle();
  const [codes, setCodes] = useState<string[]>();
  const add = useAction(
    async () => call(addPasskey, { body: { response: await createPasskey(await call(beginPasskey)) } }),
    {
      refreshes: [listFactors, listAccountEvents],
      onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes),
      success: ({ passkey }) => ({ title: t`Passkey added`, description: passkey.name }),
      failure: t`Not added`,
      outdated: [listFactors],
    },
  );
  if (obstacle) return <p className="text-ink-soft">{obstacle}</p>;
  return (
    <>
      <Button variant="secondary" isBusy={add.isPending} onClick={() => add.mutate()}>
        <Trans>Add a passkey</Trans>
      </Button>
      {codes && (
        <RecoveryCodesDialog
          codes={codes}
          onClose={() => {
            setCodes(undefined);
            focusSection(ID);
          }}
        />
      )}
    </>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { id, name, isSynced, createdAt, lastUsedAt } = passkey;
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const remove = useAction(() => call(removePasskey, { params: { id } }), {
    refreshes: [listFactors, listAccountEvents],
    outdated: [listFactors],
    onSuccess: () => focusSection(ID),
    success: { title: t`Passkey removed` },
    failure: t`Not removed`,
  });
  return (
    <li className="flex items-center gap-4 py-4 first:pt-0 last:pb-0">
      <span
        aria-hidden="true"
        className="grid size-11 shrink-0 place-items-center rounded-full border border-line-firm text-ink-soft"
      >
        <Fingerprint strokeWidth={1.5} className="size-5" />
      </span>
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          {isSynced && (
            <Badge>
              <Trans>Synced</Trans>
            </Badge>
          )}
        </p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span>
            <Trans>Added on {formatDate(createdAt)}</Trans>
          </span>
          <span className="text-ink-faint">
            {lastUsedAt ? <Trans>Last used on {formatDate(lastUsedAt)}</Trans> : <Trans>Never used</Trans>}
          </span>
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-1">
        <IconButton label={t`Rename ${name}`} icon={<Pencil />} size="sm" onClick={() => setOpen('rename')} />
        <IconButton
          label={t`Remove ${name}`}
          icon={<Trash2 />}
          size="sm"
          isBusy={remove.isPending}
          onClick={() => setOpen('remove')}
        />
      </div>
      <Dialog
        isOpen={open === 'rename'}
        onOpenChange={() => setOpen(undefined)}
        size="sm"
        title={t`Rename the passkey`}
      >
        <RenameForm passkey={passkey} onClose={() => setOpen(undefined)} />
      </Dialog>
      <ConfirmDialog
        isOpen={open === 'remove'}
        onOpenChange={() => setOpen(undefined)}
        title={t`Remove this passkey?`}
        description={t`Nobody can sign in with it any more. Without another factor your recovery codes become void, too. Delete the passkey from your device or password manager as well.`}
        confirmLabel={t`Remove`}
        isDestructive
        onConfirm={() => {
          setOpen(undefined);
          remove.mutate();
        }}
      />
    </li>
  );
}

function RenameForm({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useContractForm({ check: checkWith(RenamePasskeyInput), defaultValues: { name } });
  const { run } = useAction((body: { name: string }) => call(renamePasskey, { params: { id }, body }), {
    form,
    refreshes: [listFactors],
    outdated: [listFactors],
    failure: t`Not renamed`,
  });
  const submit = form.handleSubmit(async (body) => {
    if (await run(body)) onClose();
  });
  return (
    <form noValidate onSubmit={(event: FormEvent) => void submit(event)}>
      <TextField label={t`Name`} data-initial-focus autoComplete="off" {...bindField(form, 'name')} />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={form.formState.isSubmitting} busyLabel={t`Saving...`}>
          <Trans>Save</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
