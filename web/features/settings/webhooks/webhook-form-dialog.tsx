import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { z } from 'zod';
import {
  CreateWebhookInput,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
} from '../../../../contracts/accounts/webhooks.ts';
import { findFieldErrors, showFieldErrors } from '../../../api/field-errors.ts';
import { Button } from '../../../components/actions/button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { EVENT_WORDS } from './webhook-labels.ts';
import { useCreateWebhook, useUpdateWebhook } from './webhook-queries.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };
type WebhookForm = z.input<typeof CreateWebhookInput>;
type Form = UseFormReturn<WebhookForm, unknown, CreateWebhookInput>;

export function CreateWebhookDialog(dialog: DialogProps) {
  return (
    <FormDialog title="Create webhook" description="Its secret can be seen afterwards." {...dialog}>
      {(parts) => <CreateForm {...parts} />}
    </FormDialog>
  );
}

export function EditWebhookDialog({ webhook, ...dialog }: DialogProps & { webhook: Webhook }) {
  return (
    <FormDialog title="Edit webhook" {...dialog}>
      {(parts) => <EditForm webhook={webhook} {...parts} />}
    </FormDialog>
  );
}

function CreateForm(parts: FormDialogParts) {
  const { mutateAsync } = useCreateWebhook();
  return (
    <FormView
      {...parts}
      defaults={{ url: '', events: [...WEBHOOK_EVENTS], description: '' }}
      save={async (values) => {
        await mutateAsync(values);
        toast({ title: 'Webhook created', description: 'Send it a test event to see that it works.' });
      }}
      words={{ name: 'Create webhook', submit: 'Create Webhook', busy: 'Creating...' }}
    />
  );
}

function EditForm({ webhook, ...parts }: FormDialogParts & { webhook: Webhook }) {
  const { mutateAsync } = useUpdateWebhook(webhook.id);
  const { url, events, description } = webhook;
  return (
    <FormView
      {...parts}
      defaults={{ url, events, description: description ?? '' }}
      save={async ({ url: wanted, ...values }) => {
        // Sending the unchanged address would reset the webhook's state.
        await mutateAsync({ ...values, ...(wanted !== url && { url: wanted }) });
        toast({ title: 'Webhook saved' });
      }}
      words={{ name: 'Edit webhook', submit: 'Save', busy: 'Saving...' }}
    />
  );
}

type FormViewProps = FormDialogParts & {
  defaults: WebhookForm;
  save: (values: CreateWebhookInput) => Promise<void>;
  words: { name: string; submit: string; busy: string };
};

function FormView({ onChanged, onCancel, onSaved, defaults, save, words }: FormViewProps) {
  const form: Form = useForm({ resolver: zodResolver(CreateWebhookInput), defaultValues: defaults });
  const { register, handleSubmit, setError, formState } = form;
  const { errors, isDirty, isSubmitting } = formState;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const submit = handleSubmit(async (values) => {
    try {
      await save(values);
      onSaved();
    } catch (error) {
      // The toast already shows the error; also show it at its field.
      showFieldErrors(setError, findFieldErrors(error, ['url', 'description']));
    }
  });
  return (
    <form noValidate aria-label={words.name} onSubmit={submit}>
      <div className="flex flex-col gap-6 [&_input]:scroll-mb-28">
        <TextField
          label="Address"
          type="url"
          inputMode="url"
          placeholder="https://example.com/hooks/sendwell"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint="A public https address that takes POST requests."
          error={errors.url?.message}
          {...register('url')}
        />
        <TextField
          label="Description"
          placeholder="Archive"
          autoComplete="off"
          error={errors.description?.message}
          {...register('description')}
        />
        <Events form={form} />
      </div>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
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
      <legend className="text-sm font-medium text-ink">Events</legend>
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
