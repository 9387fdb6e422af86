import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useWatch } from 'react-hook-form';
import { refusalText } from '../../../../client/api-error.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
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
  return (
    <FormDialog title={t`Edit transfer`} {...dialog}>
      {(parts) => <EditForm {...{ transfer, plan, ...parts }} />}
    </FormDialog>
  );
}

type EditFormProps = FormDialogParts & Pick<EditDialogProps, 'transfer' | 'plan'>;

function EditForm({ transfer, plan, onChanged, onCancel, onSaved }: EditFormProps) {
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
  const values = useWatch({ control: form.control }) as SettingsForm;
  const isChanged = Object.keys(toChanges(values, plan, transfer)).length > 0;
  const submit = form.handleSubmit(async (checked) => {
    if (await run(toChanges(checked, plan, transfer))) onSaved();
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
        />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          disabled={!isChanged}
          isBusy={isPending}
          busyLabel={t`Saving...`}
          className="max-sm:grow"
        >
          <Trans>Save changes</Trans>
        </Button>
      </FormDialogFooter>
    </form>
  );
}
