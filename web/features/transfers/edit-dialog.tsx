import { useEffect, useState } from 'react';
import { type FieldErrors, type Resolver, type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import type { TransferDetail } from '../../../contracts/transfers.ts';
import { ApiError, errorDetail } from '../../api/api-error.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
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

const WORDS = {
  title: 'Discard your changes?',
  description: 'What you changed and did not save will be lost.',
  confirmLabel: 'Discard changes',
};

/** What was decided when the transfer was sent, to be decided anew. Asks before changes are lost. */
export function EditDialog({ transfer, plan, isOpen, onClose }: EditDialogProps) {
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    setChanged(false);
    onClose();
  };
  const leave = () => (isChanged ? setAsking(true) : close());
  return (
    <Dialog isOpen={isOpen} onOpenChange={leave} title="Edit transfer" size="lg">
      <EditFormView {...{ transfer, plan }} onChanged={setChanged} onCancel={leave} onSaved={close} />
      <LeaveGuard {...WORDS} isActive={isOpen && isChanged && !isAsking} />
      <ConfirmDialog
        {...WORDS}
        cancelLabel="Keep editing"
        isDestructive
        isOpen={isAsking}
        onOpenChange={setAsking}
        onConfirm={close}
      />
    </Dialog>
  );
}

type EditFormViewProps = {
  transfer: TransferDetail;
  plan: EditPlan;
  onChanged: (isChanged: boolean) => void;
  onCancel: () => void;
  onSaved: () => void;
};

/** Lives as long as the dialog is open. */
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
      {/* In view however long the form is. */}
      <div className="sticky bottom-0 -mx-6 mt-7 -mb-8 flex justify-end gap-3 border-t border-line bg-raised px-6 py-4 sm:-mx-8 sm:rounded-b-xl sm:px-8">
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
      </div>
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
      description: errorDetail(error),
      variant: 'destructive',
    });
}
