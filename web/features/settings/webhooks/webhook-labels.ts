import { plural, t } from '@lingui/core/macro';
import type {
  WebhookDelivery,
  WebhookEvent,
  WebhookEventType,
} from '../../../../contracts/accounts/webhooks.ts';

/** In the order in which the events occur. */
export const EVENT_WORDS: Record<WebhookEvent, { label: string; hint: string }> = {
  'transfer.ready': { label: t`Transfer ready`, hint: t`All files of your transfer have arrived.` },
  'transfer.viewed': { label: t`Transfer viewed`, hint: t`Someone opened its link.` },
  'transfer.downloaded': { label: t`Transfer downloaded`, hint: t`A download has finished.` },
  'transfer.completed': {
    label: t`Recipient downloaded`,
    hint: t`A recipient downloaded with their own link for the first time.`,
  },
  'transfer.expired': { label: t`Transfer expired`, hint: t`Sent within a few minutes of its expiry.` },
  'transfer.damaged': {
    label: t`Files damaged`,
    hint: t`Stored files can't be read anymore and must be sent again.`,
  },
  'invitation.received': {
    label: t`Invitation received`,
    hint: t`Someone sent you files through an upload invitation.`,
  },
};

export function eventLabel(type: WebhookEventType): string {
  return type === 'test' ? t`Test` : EVENT_WORDS[type].label;
}

export const STATE_WORDS: Record<WebhookDelivery['state'], string> = {
  waiting: t`Waiting`,
  delivered: t`Delivered`,
  failed: t`Failed`,
};

export function countTries(attempts: number): string {
  return plural(attempts, { one: '# try', other: '# tries' });
}

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
