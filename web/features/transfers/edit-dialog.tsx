import { useEffect } from 'react';
import { type FieldErrors, type Resolver, type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toast.ts';
import { checkEdit, type EditErrors, toRefusedFields } from './edit-check.ts';
import { Basics, Expiry, Protection, Schedule } from './edit-fields.tsx';
import { type EditField, type EditForm, type EditPlan, toChanges, toEditForm } from './edit-form.ts';
import { refreshTransfer, useUpdateTransfer } from './transfer-queries.ts';

type EditDialogProps = {
  transfer: TransferDetail;
  plan: EditPlan;
  isOpen: boolean;
  onClose: () => void;
};

/** What was decided when the transfer was sent, to be decided anew. */
export function EditDialog({ transfer, plan, ...dialog }: EditDialogProps) {
  return (
    <FormDialog title="Edit transfer" {...dialog}>
      {(parts) => <EditFormView {...{ transfer, plan, ...parts }} />}
    </FormDialog>
  );
}

type EditFormViewProps = FormDialogParts & { transfer: TransferDetail; plan: EditPlan };

function EditFormView({ transfer, plan, onChanged, onCancel, onSaved }: EditFormViewProps) {
  const form = useEditForm(transfer, plan);
  const { mutateAsync, isPending } = useUpdateTransfer(transfer.id);
  const values = useWatch({ control: form.control }) as EditForm;
  const isChanged = Object.keys(toChanges(values, transfer, plan)).length > 0;
  const submit = form.handleSubmit(async (checked) => {
    try {
      await mutateAsync(toChanges(checked, transfer, plan));
      toast({ title: 'Changes saved', description: 'Recipients see them from now on.' });
      onSaved();
    } catch (error) {
      tellRefusal(error, form);
      if (error instanceof ApiError && error.status === 404) void refreshTransfer(transfer.id);
    }
  });
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  return (
    <form noValidate aria-label="Edit transfer" onSubmit={submit}>
      <div className="flex flex-col gap-5 [&_input]:scroll-mb-28 [&_select]:scroll-mb-28 [&_textarea]:scroll-mb-28">
        <Basics form={form} />
        <hr />
        <Expiry form={form} plan={plan} transfer={transfer} />
        <hr />
        <Protection form={form} plan={plan} transfer={transfer} />
        <hr />
        <Schedule form={form} plan={plan} transfer={transfer} />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          type="submit"
          disabled={!isChanged}
          isBusy={isPending}
          busyLabel="Saving..."
          className="max-sm:grow"
        >
          Save changes
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function useEditForm(transfer: TransferDetail, plan: EditPlan): UseFormReturn<EditForm> {
  const resolver: Resolver<EditForm> = (values) => {
    const changes = toChanges(values, transfer, plan);
    const wrong = checkEdit(values, changes, { ...plan, transfer, now: Date.now() });
    const errors = Object.entries(wrong).map(([field, message]) => [field, { type: 'rule', message }]);
    if (errors.length === 0) return { values, errors: {} };
    return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<EditForm> };
  };
  return useForm<EditForm>({ resolver, defaultValues: toEditForm(transfer, plan) });
}

/** At the fields that can mend it, else as a toast. */
function tellRefusal(error: unknown, { setError }: UseFormReturn<EditForm>): void {
  const wrong: EditErrors = toRefusedFields(error);
  const fields = Object.entries(wrong) as [EditField, string][];
  fields.forEach(([field, message], index) => {
    setError(field, { type: 'server', message }, { shouldFocus: index === 0 });
  });
  if (fields.length === 0)
    toast({
      title: 'The changes were not saved',
      description: refusalText(error),
      variant: 'destructive',
    });
}
