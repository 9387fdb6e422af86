import { t } from '@lingui/core/macro';
import type {
  WebhookDelivery,
  WebhookEvent,
  WebhookEventType,
} from '../../../../contracts/accounts/webhooks.ts';

/** In the order in which events happen. */
export const EVENT_WORDS: Record<WebhookEvent, { label: string; hint: string }> = {
  'transfer.ready': { label: t`Transfer ready`, hint: t`All files of a transfer of yours have arrived.` },
  'transfer.viewed': { label: t`Transfer viewed`, hint: t`Somebody opened its link.` },
  'transfer.downloaded': { label: t`Transfer downloaded`, hint: t`A download has run to its end.` },
  'transfer.completed': {
    label: t`Recipient has it`,
    hint: t`A recipient has downloaded by their own link, for the first time.`,
  },
  'transfer.expired': { label: t`Transfer expired`, hint: t`Sent within a few minutes of its end.` },
  'transfer.damaged': {
    label: t`Files damaged`,
    hint: t`Stored files can no longer be read and have to be sent again.`,
  },
  'invitation.received': {
    label: t`Invitation received`,
    hint: t`Files came in through an upload invitation.`,
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

/** "1 try", "3 tries". */
export function countTries(attempts: number): string {
  return attempts === 1 ? t`1 try` : t`${attempts} tries`;
}

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
