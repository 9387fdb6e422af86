import type { WebhookPayload } from '../../../../contracts/accounts/webhooks.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { PAGES, transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { toOneLine } from '../../../platform/mail/plain-text.ts';
import type { Wording } from '../../../platform/mail/wording.ts';

/** An event in words, as plain text; each format escapes it. */
export type Message = {
  title: string;
  text: string;
  facts: { label: string; value: string }[];
  link: { label: string; url: string };
  /** A `problem` is red, and has a higher priority where services support that. */
  tone: 'news' | 'problem';
  /** ISO 8601. */
  timestamp: string;
};

const NAME_LENGTH = 80;

/** Names the transfer as mails to its owner do. Of an encrypted one, only sizes and times are known. */
export function describeEvent(wording: Wording, event: WebhookPayload, publicUrl: string): Message {
  const { t } = wording;
  const { title, text } = wordEvent(wording, event);
  const { timestamp } = event;
  if (event.type === 'test') {
    const link = { label: t('See your webhooks'), url: publicUrl + PAGES.settingsWebhooks };
    return { title, text, facts: [], link, tone: 'news', timestamp };
  }
  const { transfer } = event.data;
  return {
    title,
    text,
    facts: describeTransfer(wording, transfer),
    link: { label: t('See the transfer'), url: publicUrl + transferPage(transfer.id) },
    tone: event.type === 'transfer.damaged' ? 'problem' : 'news',
    timestamp,
  };
}

function wordEvent(wording: Wording, event: WebhookPayload): Pick<Message, 'title' | 'text'> {
  const { t } = wording;
  if (event.type === 'test')
    return {
      title: t('Sendwell is connected'),
      text: t('This is a test. News of your transfers arrives here.'),
    };
  const name = nameOf(wording, event.data.transfer);
  switch (event.type) {
    case 'transfer.ready':
      return { title: t('Transfer ready'), text: t('All files of {name} have arrived.', { name }) };
    case 'transfer.viewed':
      return { title: t('Transfer viewed'), text: t('Someone opened the link of {name}.', { name }) };
    case 'transfer.downloaded':
      return { title: t('Transfer downloaded'), text: wordDownload(wording, name, event.data.download) };
    case 'transfer.completed':
      return {
        title: t('Recipient downloaded'),
        text: t('{email} downloaded {name} for the first time.', { name, email: event.data.recipient.email }),
      };
    case 'transfer.expired':
      return { title: t('Transfer expired'), text: t('{name} has expired.', { name }) };
    case 'transfer.damaged':
      return {
        title: t('Files damaged'),
        text: t(
          '{count, plural, one {# file of {name} can’t be read anymore and must be sent again.} other {# files of {name} can’t be read anymore and must be sent again.}}',
          { count: event.data.fileCount, name },
        ),
      };
    case 'invitation.received': {
      const { receivedFrom } = event.data.transfer;
      const text = receivedFrom
        ? t('{email} sent you {name}.', { email: receivedFrom, name })
        : t('Someone sent you {name}.', { name });
      return { title: t('Files received'), text };
    }
  }
}

type Download = Extract<WebhookPayload, { type: 'transfer.downloaded' }>['data']['download'];

function wordDownload(
  { t }: Wording,
  name: string,
  { recipientEmail: email, fileId, selectedFiles }: Download,
): string {
  const isPart = fileId !== null || selectedFiles !== null;
  if (email)
    return isPart
      ? t('{email} downloaded a part of {name}.', { email, name })
      : t('{email} downloaded {name}.', { email, name });
  return isPart
    ? t('Someone downloaded a part of {name}.', { name })
    : t('Someone downloaded {name}.', { name });
}

function nameOf(wording: Wording, transfer: Transfer): string {
  return wording.t('“{title}”', { title: toOneLine(wording.nameTransfer(transfer), NAME_LENGTH) });
}

function describeTransfer(
  { t, describeFiles, formatInstant }: Wording,
  { fileCount, totalSize: totalBytes, expiresAt, isExpired }: Transfer,
): Message['facts'] {
  return [
    { label: t('Content'), value: describeFiles({ fileCount, totalBytes }) },
    ...(expiresAt && !isExpired
      ? [{ label: t('Available until'), value: formatInstant(Date.parse(expiresAt)) }]
      : []),
  ];
}
