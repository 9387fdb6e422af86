import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { findAddressProblem, type WebhookFormat } from '../../../../contracts/accounts/webhook-formats.ts';
import {
  CreateWebhookInput,
  UpdateWebhookInput,
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
import { translateSentence } from '../../../lib/language/sentences.ts';
import { AddressFields, FormatField, type WebhookForm } from './webhook-address-fields.tsx';
import { EVENT_WORDS } from './webhook-labels.ts';
import { useCreateWebhook, useUpdateWebhook } from './webhook-queries.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };
type Form = UseFormReturn<WebhookForm>;

export function CreateWebhookDialog(dialog: DialogProps) {
  return (
    <FormDialog
      title={t`Create webhook`}
      description={t`Get news of your transfers where you already are.`}
      {...dialog}
    >
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

const checkNew = checkWith<WebhookForm>(CreateWebhookInput, dropUnusedToken);

/** The token of another format that was chosen before doesn't count. */
function dropUnusedToken({ accessToken, ...form }: WebhookForm): WebhookForm {
  return form.format === 'ntfy' || form.format === 'gotify' ? { ...form, accessToken } : form;
}

function CreateForm(parts: FormDialogParts) {
  const form = useContractForm<WebhookForm>({
    check: checkNew,
    defaultValues: {
      format: 'sendwell',
      url: '',
      accessToken: '',
      events: [...WEBHOOK_EVENTS],
      description: '',
    },
  });
  const { run } = useCreateWebhook(form);
  const format = form.watch('format') ?? 'sendwell';
  return (
    <FormView
      {...parts}
      form={form}
      format={format}
      save={(body) => run({ body: dropUnusedToken(body) })}
      words={{ name: t`Create webhook`, submit: t`Create Webhook`, busy: t`Creating...` }}
    />
  );
}

function EditForm({ webhook, ...parts }: FormDialogParts & { webhook: Webhook }) {
  const { format, events, description } = webhook;
  // Addresses of other formats contain secrets, so the server doesn't send them.
  const url = format === 'sendwell' ? webhook.url : '';
  const form = useContractForm<WebhookForm>({
    check: checkChange(webhook),
    defaultValues: { url, accessToken: '', events, description: description ?? '' },
  });
  const { run } = useUpdateWebhook(webhook.id, { form, success: () => ({ title: t`Webhook saved` }) });
  return (
    <FormView
      {...parts}
      form={form}
      format={format}
      stored={webhook}
      save={(values) => run(toChange(values, url))}
      words={{ name: t`Edit webhook`, submit: t`Save`, busy: t`Saving...` }}
    />
  );
}

function checkChange({ format }: Webhook) {
  const findMore = ({ url }: WebhookForm) => {
    const problem = url.trim() ? findAddressProblem(format, url) : undefined;
    return problem === undefined ? {} : { url: translateSentence(problem) };
  };
  const toBody = (values: WebhookForm) => toChange(values, format === 'sendwell' ? undefined : '');
  return checkWith<WebhookForm>(UpdateWebhookInput, toBody, findMore);
}

/** Sending the unchanged address would reset the webhook's state. */
function toChange({ url, accessToken, events, description }: WebhookForm, oldUrl: string | undefined) {
  return {
    events,
    description,
    ...(url.trim() !== oldUrl && { url }),
    ...(accessToken && { accessToken }),
  };
}

type FormViewProps = FormDialogParts & {
  form: Form;
  format: WebhookFormat;
  /** The webhook that is changed. */
  stored?: Webhook;
  save: (values: WebhookForm) => Promise<boolean>;
  words: { name: string; submit: string; busy: string };
};

function FormView({ onChanged, onCancel, onSaved, form, format, stored, save, words }: FormViewProps) {
  const { isDirty, isSubmitting } = form.formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const submit = form.handleSubmit(async (values) => {
    if (await save(values)) onSaved();
  });
  return (
    <form noValidate aria-label={words.name} onSubmit={submit}>
      <div className="flex flex-col gap-6 [&_input]:scroll-mb-28">
        {!stored && <FormatField form={form} />}
        <AddressFields form={form} format={format} {...(stored && { stored })} />
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
