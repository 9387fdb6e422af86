import type { Trx } from '../../../../platform/db/open.ts';
import { enqueueMail } from '../../../../platform/mail/outbox.ts';
import { renderMail } from '../../../../platform/mail/template/layout.ts';
import { type MailReader, msg, wordingIn } from '../../../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../../emails.ts';

const CHANGES = {
  linked: {
    subject: msg('You can now sign in with {name} on Sendwell'),
    title: msg('You can now sign in with {name}'),
    text: msg('A sign-in of {name} was linked to your account. If that was you, there is nothing to do.'),
  },
  unlinked: {
    subject: msg('You can no longer sign in with {name} on Sendwell'),
    title: msg('You can no longer sign in with {name}'),
    text: msg('A sign-in of {name} was unlinked from your account. If that was you, there is nothing to do.'),
  },
} as const;
export type IdentityChange = keyof typeof CHANGES;

type Alert = { change: IdentityChange; providerName: string; secureUrl: string; createdAt: number };

export async function enqueueIdentityMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { change, providerName: name, secureUrl, createdAt }: Alert,
): Promise<void> {
  const wording = wordingIn(language);
  const { t, formatInstant } = wording;
  const { subject, title, text } = CHANGES[change];
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title: t(title, { name }),
    blocks: [
      { kind: 'facts', facts: [{ label: t('When'), value: formatInstant(createdAt) }] },
      { kind: 'text', text: t(text, { name }) },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'identity-changed',
    recipient: email,
    subject: t(subject, { name }),
    ...content,
    userId: id,
    createdAt,
  });
}
