import type {
  WebhookDelivery,
  WebhookEvent,
  WebhookEventType,
} from '../../../../contracts/accounts/webhooks.ts';

/** In the order in which events happen. */
export const EVENT_WORDS: Record<WebhookEvent, { label: string; hint: string }> = {
  'transfer.ready': { label: 'Transfer ready', hint: 'All files of a transfer of yours have arrived.' },
  'transfer.viewed': { label: 'Transfer viewed', hint: 'Somebody opened its link.' },
  'transfer.downloaded': { label: 'Transfer downloaded', hint: 'A download has run to its end.' },
  'transfer.completed': {
    label: 'Recipient has it',
    hint: 'A recipient has downloaded by their own link, for the first time.',
  },
  'transfer.expired': { label: 'Transfer expired', hint: 'Sent within a few minutes of its end.' },
  'transfer.damaged': {
    label: 'Files damaged',
    hint: 'Stored files can no longer be read and have to be sent again.',
  },
  'invitation.received': {
    label: 'Invitation received',
    hint: 'Files came in through an upload invitation.',
  },
};

export function eventLabel(type: WebhookEventType): string {
  return type === 'test' ? 'Test' : EVENT_WORDS[type].label;
}

export const STATE_WORDS: Record<WebhookDelivery['state'], string> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
};

/** "1 try", "3 tries". */
export function countTries(attempts: number): string {
  return attempts === 1 ? '1 try' : `${attempts} tries`;
}

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
