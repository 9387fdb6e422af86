import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import {
  CreateWebhookInput,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
} from '../../../../contracts/accounts/webhooks.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { EVENT_WORDS } from './webhook-labels.ts';
import { useCreateWebhook, useUpdateWebhook } from './webhook-queries.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };
type WebhookForm = z.input<typeof CreateWebhookInput>;
type Form = UseFormReturn<WebhookForm>;

export function CreateWebhookDialog(dialog: DialogProps) {
  return (
    <FormDialog title={t`Create webhook`} description={t`You can see its secret afterwards.`} {...dialog}>
      {(parts) => <CreateForm {...parts} />}
    </FormDialog>
  );
}

export function EditWebhookDialog({ webhook, ...dialog }: DialogProps & { webhook: Webhook }) {
  return (
    <FormDialog title={t`Edit webhook`} {...dialog}>
      {(parts) => <EditForm webhook={webhook} {...parts} />}
    </FormDialog>
  );
}

const check = checkWith<WebhookForm>(CreateWebhookInput);

function CreateForm(parts: FormDialogParts) {
  const defaultValues = { url: '', events: [...WEBHOOK_EVENTS], description: '' };
  const form = useContractForm<WebhookForm>({ check, defaultValues });
  const { run } = useCreateWebhook(form);
  return (
    <FormView
      {...parts}
      form={form}
      save={(body) => run({ body })}
      words={{ name: t`Create webhook`, submit: t`Create Webhook`, busy: t`Creating...` }}
    />
  );
}

function EditForm({ webhook, ...parts }: FormDialogParts & { webhook: Webhook }) {
  const { url, events, description } = webhook;
  const form = useContractForm<WebhookForm>({
    check,
    defaultValues: { url, events, description: description ?? '' },
  });
  const { run } = useUpdateWebhook(webhook.id, { form, success: () => ({ title: t`Webhook saved` }) });
  return (
    <FormView
      {...parts}
      form={form}
      // Sending the unchanged address would reset the webhook's state.
      save={({ url: wanted, ...values }) => run({ ...values, ...(wanted.trim() !== url && { url: wanted }) })}
      words={{ name: t`Edit webhook`, submit: t`Save`, busy: t`Saving...` }}
    />
  );
}

type FormViewProps = FormDialogParts & {
  form: Form;
  save: (values: WebhookForm) => Promise<boolean>;
  words: { name: string; submit: string; busy: string };
};

function FormView({ onChanged, onCancel, onSaved, form, save, words }: FormViewProps) {
  const { isDirty, isSubmitting } = form.formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const submit = form.handleSubmit(async (values) => {
    if (await save(values)) onSaved();
  });
  return (
    <form noValidate aria-label={words.name} onSubmit={submit}>
      <div className="flex flex-col gap-6 [&_input]:scroll-mb-28">
        <TextField
          label={t`Address`}
          type="url"
          inputMode="url"
          placeholder="https://example.com/hooks/sendwell"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={t`A public https address that accepts POST requests.`}
          {...bindField(form, 'url')}
        />
        <TextField
          label={t`Description`}
          placeholder={t`Archive`}
          autoComplete="off"
          {...bindField(form, 'description')}
        />
        <Events form={form} />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel={words.busy} className="max-sm:grow">
          {words.submit}
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function Events({ form: { register, formState } }: { form: Form }) {
  const error = formState.errors.events?.message;
  return (
    <fieldset aria-describedby={error ? 'events-error' : undefined}>
      <legend className="text-sm font-medium text-ink">
        <Trans>Events</Trans>
      </legend>
      <div className="mt-3 grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {WEBHOOK_EVENTS.map((event: WebhookEvent) => (
          <Checkbox
            key={event}
            value={event}
            label={EVENT_WORDS[event].label}
            hint={EVENT_WORDS[event].hint}
            {...register('events')}
          />
        ))}
      </div>
      {error && (
        <div className="mt-3">
          <FieldError id="events-error">{error}</FieldError>
        </div>
      )}
    </fieldset>
  );
}
