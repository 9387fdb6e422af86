import { useEffect, useState } from 'react';
import { type FieldErrors, type Resolver, type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import { INVITATION_DAYS_MAX } from '../../../contracts/plans/limits.ts';
import type { Invitation } from '../../../contracts/transfers/invitations.ts';
import { findFieldErrors, showFieldErrors } from '../../api/field-errors.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../components/form-dialog.tsx';
import { Basics, Limits } from './invitation-fields.tsx';
import {
  checkForm,
  type InvitationBody,
  type InvitationField,
  type InvitationForm,
  toBody,
  toChanges,
  toInvitationForm,
} from './invitation-form.ts';
import { useCreateInvitation, useUpdateInvitation } from './invitation-queries.ts';
import { formatDateTime } from './wording.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };

export function CreateInvitationDialog(dialog: DialogProps) {
  return (
    <FormDialog
      title="Create upload invitation"
      description="Whoever gets its link can send you files after confirming their email address. They need no account."
      {...dialog}
    >
      {(parts) => <CreateForm {...parts} />}
    </FormDialog>
  );
}

export function EditInvitationDialog({ invitation, ...dialog }: DialogProps & { invitation: Invitation }) {
  return (
    <FormDialog title="Edit upload invitation" {...dialog}>
      {(parts) => <EditForm invitation={invitation} {...parts} />}
    </FormDialog>
  );
}

function CreateForm(parts: FormDialogParts) {
  const { mutateAsync } = useCreateInvitation();
  return (
    <FormView
      {...parts}
      save={(_changes, form) => mutateAsync(toBody(form))}
      words={{ name: 'Create upload invitation', submit: 'Create Invitation', busy: 'Creating...' }}
    />
  );
}

function EditForm({ invitation, ...parts }: FormDialogParts & { invitation: Invitation }) {
  const { mutateAsync } = useUpdateInvitation(invitation.id);
  return (
    <FormView
      {...parts}
      invitation={invitation}
      save={(changes) => mutateAsync(changes)}
      words={{ name: 'Edit upload invitation', submit: 'Save changes', busy: 'Saving...' }}
    />
  );
}

type FormViewProps = FormDialogParts & {
  /** undefined: a new one. */
  invitation?: Invitation;
  save: (changes: Partial<InvitationBody>, form: InvitationForm) => Promise<unknown>;
  words: { name: string; submit: string; busy: string };
};

/** Lives as long as the dialog is open. */
function FormView({ invitation, save, words, onChanged, onCancel, onSaved }: FormViewProps) {
  const [before] = useState(() => toInvitationForm(invitation));
  const { tiers, isLoading } = useTierConfig();
  const planBytes = isLoading ? undefined : tiers.premium.storagePerTransfer;
  const form = useInvitationForm(before, { isNew: !invitation, planBytes });
  const { isSubmitting } = form.formState;
  const values = useWatch({ control: form.control }) as InvitationForm;
  const isChanged = Object.keys(toChanges(values, before)).length > 0;
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  const submit = form.handleSubmit(async (checked) => {
    try {
      await save(toChanges(checked, before), checked);
      onSaved();
    } catch (error) {
      // The toast has told it; what belongs to a field also stands there.
      showFieldErrors(form.setError, findFieldErrors(error, Object.keys(before) as InvitationField[]));
    }
  });
  const days = `1 to ${INVITATION_DAYS_MAX} days from now.`;
  const expiryHint = invitation
    ? `${days} Empty: it stays at ${formatDateTime(invitation.expiresAt)}.`
    : days;
  return (
    <form noValidate aria-label={words.name} onSubmit={submit}>
      <div className="flex flex-col gap-5 [&_input]:scroll-mb-28 [&_textarea]:scroll-mb-28">
        <Basics form={form} expiryHint={expiryHint} />
        <Limits form={form} planBytes={planBytes} />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          type="submit"
          disabled={invitation && !isChanged}
          isBusy={isSubmitting}
          busyLabel={words.busy}
          className="max-sm:grow"
        >
          {words.submit}
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function useInvitationForm(
  defaultValues: InvitationForm,
  rules: Parameters<typeof checkForm>[1],
): UseFormReturn<InvitationForm> {
  const resolver: Resolver<InvitationForm> = (values) => {
    const wrong = Object.entries(checkForm(values, rules));
    if (wrong.length === 0) return { values, errors: {} };
    const errors = wrong.map(([field, message]) => [field, { type: 'rule', message }]);
    return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<InvitationForm> };
  };
  return useForm<InvitationForm>({ resolver, defaultValues });
}
