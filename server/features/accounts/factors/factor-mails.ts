import type { Trx } from '../../../platform/db/open.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { type MailReader, msg, wordingIn } from '../../../platform/mail/wording.ts';
import { alertBlocks, SECURITY_REASON } from '../emails.ts';

/** The sentence for each change. */
const CHANGES = {
  'passkey-added': msg('A passkey was added'),
  'passkey-removed': msg('A passkey was removed'),
  'app-added': msg('An authenticator app was added'),
  'app-removed': msg('Your authenticator app was removed'),
  'codes-renewed': msg('New recovery codes were made'),
  'factors-reset': msg('An administrator removed the second factor'),
} as const;
export type FactorChange = keyof typeof CHANGES;

type Alert = { secureUrl: string; createdAt: number };

export async function enqueueFactorMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { change, name, secureUrl, createdAt }: Alert & { change: FactorChange; name?: string },
): Promise<void> {
  const wording = wordingIn(language);
  const { t, formatInstant } = wording;
  const title = t(CHANGES[change]);
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ...(name === undefined ? [] : [{ label: t('Passkey'), value: name }]),
          { label: t('When'), value: formatInstant(createdAt) },
        ],
      },
      { kind: 'text', text: t('This changes how you sign in. If that was you, there is nothing to do.') },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'factor-changed',
    recipient: email,
    subject: t('{title} on your Sendwell account', { title }),
    ...content,
    userId: id,
    createdAt,
  });
}

/** `left`: the codes that can still be used. */
export async function enqueueRecoveryCodeMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { left, secureUrl, createdAt }: Alert & { left: number },
): Promise<void> {
  const wording = wordingIn(language);
  const { t, formatInstant } = wording;
  const advice =
    left > 0
      ? t('You have {left, plural, one {# recovery code} other {# recovery codes}} left.', { left })
      : t('It was the last one. Make new ones in Settings › Security.');
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title: t('A recovery code was used'),
    blocks: [
      { kind: 'facts', facts: [{ label: t('When'), value: formatInstant(createdAt) }] },
      {
        kind: 'text',
        text: `${t('Someone confirmed a sign-in to your account with a recovery code.')} ${advice}`,
      },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'recovery-code-used',
    recipient: email,
    subject: t('A recovery code of your Sendwell account was used'),
    ...content,
    userId: id,
    createdAt,
  });
}

/** The passkey's counter did not rise, as it does if two devices use the same key. */
export async function enqueuePasskeyRefusedMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { name, secureUrl, createdAt }: Alert & { name: string },
): Promise<void> {
  const wording = wordingIn(language);
  const { t, formatInstant } = wording;
  const content = renderMail(wording, {
    preview: t('Its key may have been copied.'),
    title: t('A passkey was refused'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: t('Passkey'), value: name },
          { label: t('When'), value: formatInstant(createdAt) },
        ],
      },
      {
        kind: 'text',
        text: t(
          'Someone used this passkey, but its counter did not rise. Its key may have been copied, so nobody was signed in. If that was you, remove the passkey in Settings › Security and add it again.',
        ),
      },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'passkey-refused',
    recipient: email,
    subject: t('A passkey of your Sendwell account was refused'),
    ...content,
    userId: id,
    createdAt,
  });
}
