import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { API_KEY_NAME_MAX, type ApiKey, CreateApiKeyInput } from '../../../../contracts/accounts/api-keys.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { publicUrl } from '../../../lib/browser/public-url.ts';
import { useCreateApiKey } from './api-key-queries.ts';

const EXPIRIES = [
  { value: '', label: t`Never` },
  { value: '7', label: t`In 7 days` },
  { value: '30', label: t`In 30 days` },
  { value: '90', label: t`In 90 days` },
  { value: '365', label: t`In one year` },
];

const KeyForm = z
  .object({
    name: CreateApiKeyInput.shape.name,
    canRead: z.boolean(),
    canWrite: z.boolean(),
    expiresInDays: z.string(),
  })
  .refine(({ canRead, canWrite }) => canRead || canWrite, {
    path: ['canRead'],
    message: t`Please choose at least one.`,
    // Check this even while the name is invalid.
    when: () => true,
  });
type KeyForm = z.infer<typeof KeyForm>;

const defaultValues: KeyForm = { name: '', canRead: true, canWrite: true, expiresInDays: '' };

function toBody({ name, canRead, canWrite, expiresInDays }: KeyForm) {
  const scopes = [canRead && ('read' as const), canWrite && ('write' as const)].filter(
    (scope) => scope !== false,
  );
  const expiresAt = expiresInDays && new Date(Date.now() + Number(expiresInDays) * DAY_MS).toISOString();
  return { name, scopes, expiresAt: expiresAt || null };
}

type CreateApiKeyDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (made: NewApiKey) => void;
};

export function CreateApiKeyDialog({ onCreated, ...dialog }: CreateApiKeyDialogProps) {
  return (
    <FormDialog
      title={t`Create API key`}
      description={t`The key is shown only once, right after you create it.`}
      {...dialog}
    >
      {(parts) => <CreateForm {...parts} onCreated={onCreated} />}
    </FormDialog>
  );
}

type CreateFormProps = FormDialogParts & Pick<CreateApiKeyDialogProps, 'onCreated'>;

function CreateForm({ onChanged, onCancel, onSaved, onCreated }: CreateFormProps) {
  const form = useContractForm({ check: checkWith(KeyForm), defaultValues });
  const { mutateAsync } = useCreateApiKey(form);
  const { isDirty, isSubmitting } = form.formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const submit = form.handleSubmit(async (values) => {
    const made = await mutateAsync({ body: toBody(values) }).catch(() => undefined);
    if (!made) return;
    onSaved();
    onCreated(made);
  });
  return (
    <form noValidate aria-label={t`Create API key`} onSubmit={submit}>
      <div className="flex flex-col gap-6 [&_input]:scroll-mb-28">
        <TextField
          label={t`Name`}
          placeholder={t`Nightly backup`}
          autoComplete="off"
          maxLength={API_KEY_NAME_MAX}
          {...bindField(form, 'name')}
        />
        <Scopes form={form} />
        <Select
          label={t`Expires`}
          options={EXPIRIES}
          className="sm:max-w-60"
          {...form.register('expiresInDays')}
        />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel={t`Creating...`} className="max-sm:grow">
          <Trans>Create Key</Trans>
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function Scopes({ form: { register, formState } }: { form: UseFormReturn<KeyForm> }) {
  const error = formState.errors.canRead?.message;
  return (
    <fieldset aria-describedby={error ? 'scopes-error' : undefined}>
      <legend className="text-sm font-medium text-ink">
        <Trans>Allowed to</Trans>
      </legend>
      <div className="mt-3 flex flex-col gap-3">
        <Checkbox
          label={t`Read`}
          hint={t`List transfers and see their status.`}
          // The error is about both checkboxes.
          {...register('canRead', { deps: 'canWrite' })}
        />
        <Checkbox
          label={t`Write`}
          hint={t`Send, change and delete transfers.`}
          {...register('canWrite', { deps: 'canRead' })}
        />
        {error && <FieldError id="scopes-error">{error}</FieldError>}
      </div>
    </fieldset>
  );
}

export type NewApiKey = ApiKey & { key: string };

/** Shows the key once. It closes only with its button, so that nobody loses the key by accident. */
export function NewApiKeyDialog({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      isDismissible={false}
      title={t`Your new API key`}
      description={t`Copy it now. You won't be able to see the full key again. Anyone who has it can act on your behalf.`}
      footer={
        <Button onClick={onClose}>
          <Trans>I have copied it</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-6">
        <Copyable label={t`Key`} action={t`Copy Key`} text={apiKey.key} />
        <Copyable label={t`Try it`} action={t`Copy Command`} text={exampleOf(apiKey)} />
      </div>
    </Dialog>
  );
}

/** A command that works with the key's scopes. */
function exampleOf({ key, scopes }: NewApiKey): string {
  const asOwner = `-H "Authorization: Bearer ${key}"`;
  const origin = publicUrl();
  return scopes.includes('write')
    ? `curl -T report.pdf ${asOwner} ${origin}/api/files/`
    : `curl ${asOwner} ${origin}/api/transfers`;
}

function Copyable({ label, action, text }: { label: string; action: string; text: string }) {
  return (
    <div>
      <div className="flex items-center justify-between gap-4">
        <p className="text-sm font-medium">{label}</p>
        <CopyButton text={text} label={action} size="sm" onCopied={showCopied} onFailed={showCopyFailed} />
      </div>
      <p className="mt-2 rounded-lg bg-sunken px-4 py-3 font-mono text-sm wrap-anywhere select-all">{text}</p>
    </div>
  );
}

function showCopied(): void {
  toast({ title: t`Copied` });
}

function showCopyFailed(): void {
  toast({
    title: t`Copy failed`,
    description: t`Please select the text and copy it.`,
    variant: 'destructive',
  });
}
