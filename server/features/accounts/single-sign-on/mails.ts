import type { Trx } from '../../../platform/db/open.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { type MailReader, msg, wordingIn } from '../../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../emails.ts';

const CHANGES = {
  linked: msg('You can now sign in with {name}'),
  unlinked: msg('You can no longer sign in with {name}'),
} as const;
export type IdentityChange = keyof typeof CHANGES;

type Alert = { change: IdentityChange; providerName: string; secureUrl: string; createdAt: number };

export async function enqueueIdentityMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { change, providerName, secureUrl, createdAt }: Alert,
): Promise<void> {
  const wording = wordingIn(language);
  const { t, formatInstant } = wording;
  const title = t(CHANGES[change], { name: providerName });
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title,
    blocks: [
      { kind: 'facts', facts: [{ label: t('When'), value: formatInstant(createdAt) }] },
      { kind: 'text', text: t('This changes how you sign in. If that was you, there is nothing to do.') },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'identity-changed',
    recipient: email,
    subject: t('{title} on your Sendwell account', { title }),
    ...content,
    userId: id,
    createdAt,
  });
}
