import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { refusalText } from '../../../../client/api-error.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { useOwnManifest } from '../../../key-ring/encrypted-files.ts';
import type { OwnKey } from '../../../key-ring/own-keys.ts';
import { loadForUser } from '../../../lib/loading/load-for-user.ts';
import { SettingsFields } from '../../../transfer-settings/settings-fields.tsx';
import { type SettingsForm, type SettingsPlan, toChanges } from '../../../transfer-settings/settings-form.ts';
import { toRefusedFields } from '../../../transfer-settings/settings-refusals.ts';
import { useSettingsForm } from '../../../transfer-settings/use-settings-form.ts';
import { useUpdateTransfer } from '../transfer-queries.ts';

type EditDialogProps = {
  transfer: Transfer;
  plan: SettingsPlan;
  isOpen: boolean;
  onClose: () => void;
};

/** Changes the settings of a transfer that was sent. */
export function EditDialog({ transfer, plan, ...dialog }: EditDialogProps) {
  const { kept, manifest } = useOwnManifest(transfer);
  const { title = transfer.title, message = transfer.message } = manifest ?? {};
  return (
    <FormDialog title={t`Edit transfer`} {...dialog}>
      {(parts) => (
        <EditForm
          key={manifest ? 'readable' : 'sealed'}
          transfer={{ ...transfer, title, message }}
          sealingKey={manifest && kept}
          {...{ plan, ...parts }}
        />
      )}
    </FormDialog>
  );
}

type EditFormProps = FormDialogParts &
  Pick<EditDialogProps, 'transfer' | 'plan'> & {
    /** Of an encrypted transfer whose title and message this browser can seal again. */
    sealingKey: OwnKey | undefined;
  };

function EditForm({ transfer, sealingKey: ownKey, plan, onChanged, onCancel, onSaved }: EditFormProps) {
  // Keeps its value while the dialog is open, so that no fields appear while somebody types.
  const [isArriving] = useState(transfer.status === 'arriving');
  const sealingKey = isArriving ? undefined : ownKey;
  const form = useSettingsForm({ ...plan, transfer });
  const { run, isPending } = useUpdateTransfer(transfer.id, {
    form,
    toErrors: toRefusedFields,
    success: { title: t`Changes saved`, description: t`Recipients see them from now on.` },
    failure: (error, changes) =>
      Object.keys(toRefusedFields(error, changes)).length === 0
        ? { title: t`The changes were not saved`, description: refusalText(error) }
        : undefined,
  });
  const sealing = useSealTexts(sealingKey);
  const values = useWatch({ control: form.control }) as SettingsForm;
  const isChanged = Object.keys(toChanges(values, plan, transfer)).length > 0;
  const submit = form.handleSubmit(async (checked) => {
    const { title, message, ...changes } = toChanges(checked, plan, transfer);
    const texts = { ...(title !== undefined && { title }), ...(message !== undefined && { message }) };
    if (!sealingKey) return void ((await run({ ...texts, ...changes })) && onSaved());
    // First: an expired transfer takes no new texts until it has a new expiry.
    if (Object.keys(changes).length > 0 && !(await run(changes))) return;
    if (Object.keys(texts).length === 0 || (await sealing.run(texts))) onSaved();
  });
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  return (
    <form noValidate aria-label={t`Edit transfer`} onSubmit={submit}>
      <div className="flex flex-col gap-5 [&_input]:scroll-mb-28 [&_select]:scroll-mb-28 [&_textarea]:scroll-mb-28">
        <SettingsFields
          form={form}
          plan={plan}
          transfer={transfer}
          isEncrypted={transfer.encryption !== null}
          textEdits={sealingKey ? 'now' : ownKey ? 'after-arrival' : 'never'}
        />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          disabled={!isChanged}
          isBusy={isPending || sealing.isPending}
          busyLabel={t`Saving...`}
          className="max-sm:grow"
        >
          <Trans>Save changes</Trans>
        </Button>
      </FormDialogFooter>
    </form>
  );
}

type Texts = { title?: string | null; message?: string | null };

/** Title and message of an encrypted transfer are in its manifest, which only this browser can write. */
function useSealTexts(sealingKey: OwnKey | undefined) {
  return useAction(
    async (texts: Texts) => {
      const { editOwnManifest } = await loadForUser(() => import('../../../key-ring/edit-manifest.ts'));
      await editOwnManifest(sealingKey!, texts);
      await queryClient.invalidateQueries({ queryKey: ['manifest', sealingKey!.transferId] });
    },
    {
      success: { title: t`Changes saved`, description: t`Recipients see them from now on.` },
      failure: (error) => ({
        title: t`The changes were not saved`,
        description: refusalText(error),
        variant: 'destructive',
      }),
    },
  );
}
