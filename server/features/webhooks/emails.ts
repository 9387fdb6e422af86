import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { WebhookRow } from '../../platform/db/schema.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { toOneLine } from '../../platform/mail/plain-text.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type MailReader, msg, type Wording, wordingIn } from '../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../accounts/index.ts';

type WebhookCreatedMail = {
  owner: MailReader;
  webhook: Pick<WebhookRow, 'url' | 'description' | 'createdAt'>;
  secureUrl: string;
};

/** Names only the host, because the rest of the URL may be secret. */
export async function enqueueWebhookCreatedMail(
  trx: Trx,
  { owner, webhook, secureUrl }: WebhookCreatedMail,
): Promise<void> {
  const wording = wordingIn(owner.language);
  const { t, formatInstant } = wording;
  await enqueueMail(trx, {
    kind: 'webhook-created',
    recipient: owner.email,
    subject: t('A new webhook for your Sendwell account'),
    ...renderMail(wording, {
      preview: t('If that was you, there is nothing to do.'),
      title: t('A new webhook was created'),
      blocks: [
        {
          kind: 'facts',
          facts: [
            { label: t('Receiver'), value: hostOf(wording, webhook) },
            ...describe(wording, webhook),
            { label: t('When'), value: formatInstant(webhook.createdAt) },
          ],
        },
        {
          kind: 'text',
          text: t(
            'It sends events about your transfers to its receiver. If that was you, there is nothing to do.',
          ),
        },
        ...alertBlocks(wording, secureUrl),
      ],
      reason: t(SECURITY_REASON),
    }),
    userId: owner.id,
    createdAt: webhook.createdAt,
  });
}

function hostOf({ t }: Wording, { url }: Pick<WebhookRow, 'url'>): string {
  return URL.parse(url)?.host ?? t('your receiver');
}

function describe({ t }: Wording, { description }: Pick<WebhookRow, 'description'>) {
  return description ? [{ label: t('Description'), value: toOneLine(description, DESCRIPTION_LENGTH) }] : [];
}

type DisabledMail = {
  user: MailReader;
  webhook: Pick<WebhookRow, 'url' | 'description' | 'createdAt'>;
  reason: NonNullable<WebhookRow['disabledReason']>;
  publicUrl: string;
  createdAt: number;
};

const WHAT_HAPPENED: Record<DisabledMail['reason'], string> = {
  gone: msg(
    'Its receiver responded with 410 Gone, which means that it wants no more events. We turned the webhook off.',
  ),
  failing: msg('Every attempt to reach its receiver has failed for three days. We turned the webhook off.'),
};

/** Names only the host, because the rest of the URL may be secret. */
export async function enqueueDisabledMail(
  trx: Trx,
  { user, webhook, reason, publicUrl, createdAt }: DisabledMail,
): Promise<void> {
  const wording = wordingIn(user.language);
  const { t, formatDate } = wording;
  const host = hostOf(wording, webhook);
  const settings = `${publicUrl}${PAGES.settingsWebhooks}`;
  await enqueueMail(trx, {
    kind: 'webhook-disabled',
    recipient: user.email,
    subject: t('Your webhook to {host} was turned off', { host }),
    ...renderMail(wording, {
      preview: t('It gets no more events until you turn it on again.'),
      title: t('Your webhook was turned off'),
      blocks: [
        { kind: 'text', text: t(WHAT_HAPPENED[reason]) },
        {
          kind: 'facts',
          facts: [
            { label: t('Receiver'), value: host },
            ...describe(wording, webhook),
            { label: t('Created'), value: formatDate(webhook.createdAt) },
          ],
        },
        {
          kind: 'text',
          text: t(
            'The log in your settings shows the responses of the receiver. When it works again, turn the webhook on there and resend the events that it missed.',
          ),
        },
        { kind: 'button', label: t('See your webhooks'), url: settings },
      ],
      reason: t('You received this email because you set up webhooks at Sendwell: {settings}', { settings }),
    }),
    userId: user.id,
    createdAt,
  });
}

const DESCRIPTION_LENGTH = 80;
