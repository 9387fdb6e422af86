import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { INVITATION_DAYS_MAX } from '../../../contracts/plans/limits.ts';
import type { EncryptionPolicy } from '../../../contracts/plans/tiers.ts';
import { ENCRYPTION_VERSION } from '../../../contracts/transfers/encryption.ts';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { bindField, useContractForm } from '../../api/forms/contract-form.ts';
import { useSession } from '../../api/session/session.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { Button } from '../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../components/form/form-dialog.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import { isEncryptionOn } from '../../transfer-settings/settings-form.ts';
import { TitleAndMessage } from '../../transfer-settings/title-and-message.tsx';
import { EncryptionChoice } from './encryption-choice.tsx';
import {
  checkForm,
  type InvitationBody,
  type InvitationForm,
  toBody,
  toChanges,
  toInvitationForm,
} from './invitation-form.ts';
import { Limits, TotalLimit } from './invitation-limits.tsx';
import { prepareInbox, useCreateInvitation, useUpdateInvitation } from './invitation-queries.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };

type CreateDialogProps = DialogProps & {
  /** Called as the dialog closes. */
  onCreated: (invitation: Invitation) => void;
};

export function CreateInvitationDialog({ onCreated, ...dialog }: CreateDialogProps) {
  return (
    <FormDialog
      title={t`Create upload invitation`}
      description={t`Anyone with the link can send you files after confirming their email address. They don't need an account.`}
      {...dialog}
    >
      {(parts) => <CreateForm {...parts} onCreated={onCreated} />}
    </FormDialog>
  );
}

export function EditInvitationDialog({ invitation, ...dialog }: DialogProps & { invitation: Invitation }) {
  return (
    <FormDialog title={t`Edit upload invitation`} {...dialog}>
      {(parts) => <EditForm invitation={invitation} {...parts} />}
    </FormDialog>
  );
}

function CreateForm({ onCreated, ...parts }: FormDialogParts & Pick<CreateDialogProps, 'onCreated'>) {
  const fields = useInvitationForm(undefined);
  const created = useRef<Invitation>(undefined);
  const { run } = useCreateInvitation(fields.form, (invitation) => {
    created.current = invitation;
  });
  const { user } = useSession();
  const policy = fields.encryption;
  const create = async (values: InvitationForm) => {
    if (!policy || !isEncryptionOn(policy, values.isEncrypted)) return run({ body: toBody(values) });
    const inbox = await prepareInbox(user!.id);
    return inbox !== undefined && run({ body: { ...toBody(values), encryption: ENCRYPTION_VERSION }, inbox });
  };
  return (
    <FormView
      {...parts}
      {...fields}
      onSaved={() => {
        parts.onSaved();
        onCreated(created.current!);
      }}
      save={(_changes, values) => create(values)}
      words={{ name: t`Create upload invitation`, submit: t`Create Invitation`, busy: t`Creating...` }}
    />
  );
}

function EditForm({ invitation, ...parts }: FormDialogParts & { invitation: Invitation }) {
  const fields = useInvitationForm(invitation);
  const { run } = useUpdateInvitation(invitation.id, fields.form);
  return (
    <FormView
      {...parts}
      {...fields}
      invitation={invitation}
      save={run}
      words={{ name: t`Edit upload invitation`, submit: t`Save changes`, busy: t`Saving...` }}
    />
  );
}

type InvitationFields = {
  form: UseFormReturn<InvitationForm>;
  before: InvitationForm;
  /** The plan's bytes per transfer; undefined until they are known. */
  planBytes: number | undefined;
  /** The plan's policy; undefined until it is known. */
  encryption: EncryptionPolicy | undefined;
};

function useInvitationForm(invitation: Invitation | undefined): InvitationFields {
  const { user } = useSession();
  const [before] = useState(() => toInvitationForm(invitation, user?.name));
  const { tiers, isLoading } = useTierConfig();
  const plan = isLoading ? undefined : tiers.premium;
  const planBytes = plan?.storagePerTransfer;
  const form = useContractForm<InvitationForm>({
    defaultValues: before,
    check: (typed) => checkForm(typed, { isNew: !invitation, planBytes }),
  });
  return { form, before, planBytes, encryption: plan?.encryption };
}

type FormViewProps = FormDialogParts &
  InvitationFields & {
    /** Undefined for a new invitation. */
    invitation?: Invitation;
    save: (changes: Partial<InvitationBody>, values: InvitationForm) => Promise<boolean>;
    words: { name: string; submit: string; busy: string };
  };

function FormView({ invitation, form, before, save, words, ...rest }: FormViewProps) {
  const { planBytes, encryption, ...parts } = rest;
  const { onChanged, onCancel, onSaved } = parts;
  const { isSubmitting } = form.formState;
  const values = useWatch({ control: form.control }) as InvitationForm;
  const isChanged = Object.keys(toChanges(values, before)).length > 0;
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  const submit = form.handleSubmit(async (checked) => {
    if (await save(toChanges(checked, before), checked)) onSaved();
  });
  const maxDays = INVITATION_DAYS_MAX;
  const expiry = invitation && formatDateTime(invitation.expiresAt);
  const expiryHint = expiry
    ? t`1 to ${maxDays} days from now. Leave empty to keep ${expiry}.`
    : t`1 to ${maxDays} days from now.`;
  return (
    <form noValidate aria-label={words.name} onSubmit={submit}>
      <div className="flex flex-col gap-5 [&_input]:scroll-mb-28 [&_textarea]:scroll-mb-28">
        <Basics form={form} expiryHint={expiryHint} />
        <Limits form={form} planBytes={planBytes} />
        <TotalLimit form={form} />
        {!invitation && encryption && <EncryptionChoice form={form} policy={encryption} />}
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
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

type FormProps = { form: UseFormReturn<InvitationForm> };

function Basics({ form, expiryHint }: FormProps & { expiryHint: string }) {
  return (
    <>
      <TitleAndMessage isFirst title={bindField(form, 'title')} message={bindField(form, 'message')} />
      <TextField
        label={t`Expiration in days`}
        type="number"
        inputMode="numeric"
        min={1}
        max={INVITATION_DAYS_MAX}
        hint={expiryHint}
        {...bindField(form, 'expirationDays')}
      />
    </>
  );
}
