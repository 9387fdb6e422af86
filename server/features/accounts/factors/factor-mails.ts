import { countOf } from '../../../../contracts/values/format.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { formatInstant } from '../../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../emails.ts';

/** What changed about the factors of an account. */
const CHANGES = {
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'app-added': 'An authenticator app was added',
  'app-removed': 'Your authenticator app was removed',
  'codes-renewed': 'New recovery codes were made',
  'factors-reset': 'An administrator removed the second factor',
} as const;
export type FactorChange = keyof typeof CHANGES;

type Recipient = Pick<UserRow, 'id' | 'email'>;
type Alert = { secureUrl: string; createdAt: number };

export async function enqueueFactorMail(
  trx: Trx,
  { id, email }: Recipient,
  { change, name, secureUrl, createdAt }: Alert & { change: FactorChange; name?: string },
): Promise<void> {
  const title = CHANGES[change];
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ...(name === undefined ? [] : [{ label: 'Passkey', value: name }]),
          { label: 'When', value: formatInstant(createdAt) },
        ],
      },
      { kind: 'text', text: 'This changes how you sign in. If that was you, there is nothing to do.' },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'factor-changed',
    recipient: email,
    subject: `${title} on your Sendwell account`,
    ...content,
    userId: id,
    createdAt,
  });
}

/** `left`: the codes that can still be used. */
export async function enqueueRecoveryCodeMail(
  trx: Trx,
  { id, email }: Recipient,
  { left, secureUrl, createdAt }: Alert & { left: number },
): Promise<void> {
  const advice =
    left > 0
      ? `You have ${countOf(left, 'recovery code')} left.`
      : 'It was the last one. Make new ones in Settings › Security.';
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title: 'A recovery code was used',
    blocks: [
      { kind: 'facts', facts: [{ label: 'When', value: formatInstant(createdAt) }] },
      { kind: 'text', text: `Someone confirmed a sign-in to your account with a recovery code. ${advice}` },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'recovery-code-used',
    recipient: email,
    subject: 'A recovery code of your Sendwell account was used',
    ...content,
    userId: id,
    createdAt,
  });
}

/** The passkey's counter did not rise, as it does if two devices use the same key. */
export async function enqueuePasskeyRefusedMail(
  trx: Trx,
  { id, email }: Recipient,
  { name, secureUrl, createdAt }: Alert & { name: string },
): Promise<void> {
  const content = renderMail({
    preview: 'Its key may have been copied.',
    title: 'A passkey was refused',
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: 'Passkey', value: name },
          { label: 'When', value: formatInstant(createdAt) },
        ],
      },
      {
        kind: 'text',
        text: 'Someone used this passkey, but its counter did not rise. Its key may have been copied, so nobody was signed in. If that was you, remove the passkey in Settings › Security and add it again.',
      },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'passkey-refused',
    recipient: email,
    subject: 'A passkey of your Sendwell account was refused',
    ...content,
    userId: id,
    createdAt,
  });
}
