import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import {
  FORMAT_NAMES,
  hasAccessToken,
  WEBHOOK_FORMATS,
  type WebhookFormat,
} from '../../../../contracts/accounts/webhook-formats.ts';
import type { CreateWebhookInput, Webhook } from '../../../../contracts/accounts/webhooks.ts';
import { bindField } from '../../../api/forms/contract-form.ts';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';

export type WebhookForm = z.input<typeof CreateWebhookInput>;
type Form = UseFormReturn<WebhookForm>;

const OPTIONS = WEBHOOK_FORMATS.map((value) => ({
  value,
  label: value === 'sendwell' ? t`Your own program (signed JSON)` : FORMAT_NAMES[value],
}));

export function FormatField({ form }: { form: Form }) {
  return (
    <Select
      label={t`Send to`}
      options={OPTIONS}
      {...form.register('format', { onChange: () => form.clearErrors() })}
    />
  );
}

const PLACEHOLDERS: Record<WebhookFormat, string> = {
  sendwell: 'https://example.com/hooks/sendwell',
  slack: 'https://hooks.slack.com/services/…',
  teams: 'https://….logic.azure.com/workflows/…',
  discord: 'https://discord.com/api/webhooks/…',
  ntfy: 'https://ntfy.sh/my-topic',
  gotify: 'https://gotify.example.com',
};

const HINTS: Record<WebhookFormat, ReactNode> = {
  sendwell: t`A public https address that accepts POST requests.`,
  slack: t`In Slack, add an app with “Incoming Webhooks” to the channel and copy its webhook URL.`,
  teams: t`In Teams, choose “Workflows” at the channel, then “Send webhook alerts to a channel”, and copy the URL.`,
  discord: t`In Discord, open the channel's settings, then Integrations › Webhooks, and copy the webhook URL.`,
  ntfy: t`The address of your topic. Choose a name that nobody can guess, unless the topic is protected.`,
  gotify: t`The address of your Gotify server.`,
};

const URL_LABELS: Record<WebhookFormat, string> = {
  sendwell: t`Address`,
  slack: t`Webhook URL`,
  teams: t`Workflow URL`,
  discord: t`Webhook URL`,
  ntfy: t`Topic`,
  gotify: t`Server`,
};

const SHARED = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** Where events go: address and token, as the service calls them. `stored`: of a webhook that exists. */
export function AddressFields({
  form,
  format,
  stored,
}: {
  form: Form;
  format: WebhookFormat;
  stored?: Webhook;
}) {
  const keeps = stored !== undefined && format !== 'sendwell';
  const { url } = stored ?? {};
  return (
    <>
      <TextField
        key={format}
        label={URL_LABELS[format]}
        type="url"
        inputMode="url"
        placeholder={keeps ? url : PLACEHOLDERS[format]}
        hint={
          keeps ? (
            <Trans>Leave empty to keep the current one, which isn’t shown in full.</Trans>
          ) : (
            HINTS[format]
          )
        }
        {...SHARED}
        {...bindField(form, 'url')}
      />
      {hasAccessToken(format) && (
        <TextField
          label={format === 'gotify' ? t`App token` : t`Access token`}
          isOptional={format === 'ntfy'}
          placeholder={stored?.hasAccessToken ? '••••••••' : undefined}
          hint={tokenHint(format, stored)}
          {...SHARED}
          {...bindField(form, 'accessToken')}
        />
      )}
    </>
  );
}

function tokenHint(format: WebhookFormat, stored: Webhook | undefined): string {
  if (stored?.hasAccessToken) return t`Leave empty to keep the current one.`;
  return format === 'gotify'
    ? t`In Gotify, create an app and copy its token.`
    : t`Only for protected topics.`;
}
