import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import {
  INVITATION_DAYS_MAX,
  INVITATION_FILES_DEFAULT,
  MAX_FILES_PER_TRANSFER,
} from '../../../contracts/plans/limits.ts';
import type { Invitation } from '../../../contracts/transfers/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { bindField, useContractForm } from '../../api/contract-form.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { Button } from '../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../components/form/form-dialog.tsx';
import { Switch } from '../../components/form/switch.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import { TitleAndMessage } from '../../transfer-settings/title-and-message.tsx';
import {
  checkForm,
  type InvitationBody,
  type InvitationForm,
  LIMIT_FIELDS,
  toBody,
  toChanges,
  toInvitationForm,
} from './invitation-form.ts';
import { useCreateInvitation, useUpdateInvitation } from './invitation-queries.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };

export function CreateInvitationDialog(dialog: DialogProps) {
  return (
    <FormDialog
      title={t`Create upload invitation`}
      description={t`Anyone with the link can send you files after confirming their email address. They don't need an account.`}
      {...dialog}
    >
      {(parts) => <CreateForm {...parts} />}
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

function CreateForm(parts: FormDialogParts) {
  const fields = useInvitationForm(undefined);
  const { run } = useCreateInvitation(fields.form);
  return (
    <FormView
      {...parts}
      {...fields}
      save={(_changes, values) => run({ body: toBody(values) })}
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
};

function useInvitationForm(invitation: Invitation | undefined): InvitationFields {
  const [before] = useState(() => toInvitationForm(invitation));
  const { tiers, isLoading } = useTierConfig();
  const planBytes = isLoading ? undefined : tiers.premium.storagePerTransfer;
  const form = useContractForm<InvitationForm>({
    defaultValues: before,
    check: (typed) => checkForm(typed, { isNew: !invitation, planBytes }),
  });
  return { form, before, planBytes };
}

type FormViewProps = FormDialogParts &
  InvitationFields & {
    /** Undefined for a new invitation. */
    invitation?: Invitation;
    save: (changes: Partial<InvitationBody>, values: InvitationForm) => Promise<boolean>;
    words: { name: string; submit: string; busy: string };
  };

function FormView({ invitation, form, before, planBytes, save, words, ...parts }: FormViewProps) {
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
      <TitleAndMessage title={bindField(form, 'title')} message={bindField(form, 'message')} />
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

/** Collapsed, because the plan's limits suit most invitations. */
function Limits({ form, planBytes }: FormProps & { planBytes: number | undefined }) {
  const { errors, submitCount } = form.formState;
  const [isOpen, setOpen] = useState(() => hasOwnLimits(form.getValues()));
  const isWrong = LIMIT_FIELDS.some((field) => errors[field]);
  // Open the section to show errors.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on every submit, even with the same error.
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong, submitCount]);
  const planLimit = planBytes === undefined ? undefined : formatSize(planBytes);
  const planHint = planLimit && t`Leave empty for your plan's limit of ${planLimit}`;
  const defaultFiles = formatCount(INVITATION_FILES_DEFAULT);
  return (
    <details
      className="group rounded-md border border-line-firm"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex list-none items-center gap-2 rounded-md px-4 py-3 font-medium transition-colors duration-(--quick) hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="-ml-1 size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <Trans>Limits</Trans>
        <span className="ml-auto text-xs font-normal text-ink-faint">
          <Trans>optional</Trans>
        </span>
      </summary>
      <div className="grid gap-5 px-4 pt-2 pb-5 sm:grid-cols-2">
        <TextField
          label={t`Max file size`}
          placeholder="5GB"
          autoComplete="off"
          hint={planHint}
          {...bindField(form, 'maxFileSize')}
        />
        <TextField
          label={t`Max total size`}
          placeholder="20GB"
          autoComplete="off"
          hint={planHint}
          {...bindField(form, 'maxTotalSize')}
        />
        <TextField
          label={t`Max files`}
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_FILES_PER_TRANSFER}
          hint={t`Leave empty for ${defaultFiles}`}
          {...bindField(form, 'maxFiles')}
        />
        <TextField
          label={t`Allowed file types`}
          placeholder="pdf, jpg, docx"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={t`Leave empty for any type`}
          {...bindField(form, 'allowedTypes')}
        />
        <Switch
          className="sm:col-span-2"
          label={t`Recurring use`}
          hint={t`The limits apply to each visit separately. The link stays open until it expires or you disable it.`}
          {...form.register('isRecurring')}
        />
      </div>
    </details>
  );
}

function hasOwnLimits(typed: InvitationForm): boolean {
  const usual = toInvitationForm(undefined);
  return LIMIT_FIELDS.some((field) => typed[field] !== usual[field]);
}
