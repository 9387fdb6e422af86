import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { formatInstant } from '../../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../emails.ts';

const CHANGES = {
  linked: {
    title: (name: string) => `You can now sign in with ${name}`,
    text: (name: string) => `A sign-in of ${name} was linked to your account.`,
  },
  unlinked: {
    title: (name: string) => `You can no longer sign in with ${name}`,
    text: (name: string) => `A sign-in of ${name} was unlinked from your account.`,
  },
} as const;
export type IdentityChange = keyof typeof CHANGES;

type Alert = { change: IdentityChange; providerName: string; secureUrl: string; createdAt: number };

export async function enqueueIdentityMail(
  trx: Trx,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { change, providerName, secureUrl, createdAt }: Alert,
): Promise<void> {
  const { title, text } = CHANGES[change];
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title: title(providerName),
    blocks: [
      { kind: 'facts', facts: [{ label: 'When', value: formatInstant(createdAt) }] },
      { kind: 'text', text: `${text(providerName)} If that was you, there is nothing to do.` },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'identity-changed',
    recipient: email,
    subject: `${title(providerName)} on Sendwell`,
    ...content,
    userId: id,
    createdAt,
  });
}
