import { PAGES } from '../../../contracts/values/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow, WebhookRow } from '../../platform/db/schema.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { toOneLine } from '../../platform/mail/plain-text.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { formatDate, formatInstant } from '../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../accounts/index.ts';

type WebhookCreatedMail = {
  owner: Pick<UserRow, 'id' | 'email'>;
  webhook: Pick<WebhookRow, 'url' | 'description' | 'createdAt'>;
  secureUrl: string;
};

/** Names only the host, because the rest of the URL may be secret. */
export async function enqueueWebhookCreatedMail(
  trx: Trx,
  { owner, webhook, secureUrl }: WebhookCreatedMail,
): Promise<void> {
  await enqueueMail(trx, {
    kind: 'webhook-created',
    recipient: owner.email,
    subject: 'A new webhook for your Sendwell account',
    ...renderMail({
      preview: 'If that was you, there is nothing to do.',
      title: 'A new webhook was created',
      blocks: [
        {
          kind: 'facts',
          facts: [
            { label: 'Receiver', value: hostOf(webhook) },
            ...describe(webhook),
            { label: 'When', value: formatInstant(webhook.createdAt) },
          ],
        },
        {
          kind: 'text',
          text: 'It sends events about your transfers to its receiver. If that was you, there is nothing to do.',
        },
        ...alertBlocks(secureUrl),
      ],
      reason: SECURITY_REASON,
    }),
    userId: owner.id,
    createdAt: webhook.createdAt,
  });
}

function hostOf({ url }: Pick<WebhookRow, 'url'>): string {
  return URL.parse(url)?.host ?? 'your receiver';
}

function describe({ description }: Pick<WebhookRow, 'description'>) {
  return description ? [{ label: 'Description', value: toOneLine(description, DESCRIPTION_LENGTH) }] : [];
}

type DisabledMail = {
  user: Pick<UserRow, 'id' | 'email'>;
  webhook: Pick<WebhookRow, 'url' | 'description' | 'createdAt'>;
  reason: NonNullable<WebhookRow['disabledReason']>;
  publicUrl: string;
  createdAt: number;
};

const WHAT_HAPPENED: Record<DisabledMail['reason'], string> = {
  gone: 'Its receiver responded with 410 Gone, which means that it wants no more events. We turned the webhook off.',
  failing: 'Every attempt to reach its receiver has failed for three days. We turned the webhook off.',
};

/** Names only the host, because the rest of the URL may be secret. */
export async function enqueueDisabledMail(
  trx: Trx,
  { user, webhook, reason, publicUrl, createdAt }: DisabledMail,
): Promise<void> {
  const host = hostOf(webhook);
  const settings = `${publicUrl}${PAGES.settingsWebhooks}`;
  await enqueueMail(trx, {
    kind: 'webhook-disabled',
    recipient: user.email,
    subject: `Your webhook to ${host} was turned off`,
    ...renderMail({
      preview: 'It gets no more events until you turn it on again.',
      title: 'Your webhook was turned off',
      blocks: [
        { kind: 'text', text: WHAT_HAPPENED[reason] },
        {
          kind: 'facts',
          facts: [
            { label: 'Receiver', value: host },
            ...describe(webhook),
            { label: 'Created', value: formatDate(webhook.createdAt) },
          ],
        },
        {
          kind: 'text',
          text: 'The log in your settings shows the responses of the receiver. When it works again, turn the webhook on there and resend the events that it missed.',
        },
        { kind: 'button', label: 'See your webhooks', url: settings },
      ],
      reason: `You received this email because you set up webhooks at Sendwell: ${settings}`,
    }),
    userId: user.id,
    createdAt,
  });
}

const DESCRIPTION_LENGTH = 80;
