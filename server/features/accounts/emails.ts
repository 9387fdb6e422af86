import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import type { Trx } from '../../platform/db/open.ts';
import { dropReplacedMails, enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type MailReader, msg, type Wording, wordingIn } from '../../platform/mail/wording.ts';
import { ALERT_DAYS } from './events/account-alerts.ts';

/**
 * The outbox drops the mail once the code has expired or been replaced. The mail contains no user input, because the
 * address may belong to another person.
 */
export async function enqueueCodeMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { code, url, minutes, createdAt }: { code: string; url: string; minutes: number; createdAt: number },
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('Enter it on the page that asked for it. It is valid for {minutes} minutes.', { minutes }),
    title: t('Verify your email address'),
    blocks: [
      { kind: 'text', text: t('Enter this code on the page that asked for it.') },
      { kind: 'code', code },
      { kind: 'button', label: t('Continue with this code'), url },
      {
        kind: 'text',
        text: t(
          'It is valid for {minutes} minutes and can be used once. Nobody at Sendwell will ever ask you for it.',
          { minutes },
        ),
      },
    ],
    reason: t(
      "You received this email because this address was entered at Sendwell. If that wasn't you, ignore this email. Nothing happens without the code.",
    ),
  });
  await dropReplacedMails(trx, { userId: id, kind: 'verification-code' });
  await enqueueMail(trx, {
    kind: 'verification-code',
    recipient: email,
    subject: t('{code} is your Sendwell code', { code }),
    ...content,
    userId: id,
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}

export async function enqueuePasswordChangedMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { secureUrl, createdAt }: { secureUrl: string; createdAt: number },
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title: t('Your password was changed'),
    blocks: [
      { kind: 'facts', facts: [{ label: t('When'), value: wording.formatInstant(createdAt) }] },
      {
        kind: 'text',
        text: t('All other devices were signed out. If that was you, there is nothing to do.'),
      },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'password-changed',
    recipient: email,
    subject: t('Your Sendwell password was changed'),
    ...content,
    userId: id,
    createdAt,
  });
}

/** `url` comes from `createAlertLink`. */
export function alertBlocks({ t }: Wording, url: string): MailBlock[] {
  return [
    {
      kind: 'note',
      text: t(
        "If this wasn't you, secure your account within {days, plural, one {# day} other {# days}}. This signs out all devices, removes passkeys and an authenticator app added since, disables all API keys and webhooks, and emails you a link to set a new password.",
        { days: ALERT_DAYS },
      ),
    },
    { kind: 'button', label: t("This wasn't me"), url },
  ];
}

type NewDevice = {
  device: string;
  place: string;
  address: string;
  method: string;
  secureUrl: string;
  createdAt: number;
};

export async function enqueueNewDeviceMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { device, place, address, method, secureUrl, createdAt }: NewDevice,
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title: t('New sign-in to your account'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: t('When'), value: wording.formatInstant(createdAt) },
          { label: t('Device'), value: device },
          { label: t('Place'), value: place },
          { label: t('Address'), value: address },
          { label: t('Signed in with'), value: method },
        ],
      },
      {
        kind: 'text',
        text: t(
          'Someone signed in from a browser that we have not seen before. If that was you, there is nothing to do.',
        ),
      },
      ...alertBlocks(wording, secureUrl),
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'new-device',
    recipient: email,
    subject: t('New sign-in to your Sendwell account'),
    ...content,
    userId: id,
    createdAt,
  });
}

type SignInLink = {
  email: string;
  userId: string | null;
  language: LanguageCode | null;
  url: string;
  minutes: number;
  createdAt: number;
};

/** The outbox drops the mail once the link has expired. `userId` is null if the link creates the account. */
export async function enqueueSignInLinkMail(
  trx: Trx,
  { email, userId, language, url, minutes, createdAt }: SignInLink,
): Promise<void> {
  const isNew = userId === null;
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('The link is valid for {minutes} minutes.', { minutes }),
    title: isNew ? t('Create your account') : t('Sign in to Sendwell'),
    blocks: [
      {
        kind: 'text',
        text: isNew
          ? t(
              'Open the link and press the button on the page. This creates a Sendwell account for this address and signs you in.',
            )
          : t('Open the link and press the button on the page to sign in.'),
      },
      { kind: 'button', label: isNew ? t('Create my account') : t('Sign in'), url },
      {
        kind: 'text',
        text: t(
          "The link is valid for {minutes} minutes and can be used once. Don't forward this email: anyone with the link can sign in.",
          { minutes },
        ),
      },
    ],
    reason: t(
      "You received this email because this address was entered at Sendwell. If that wasn't you, ignore this email. Nothing happens without the link.",
    ),
  });
  if (userId !== null) await dropReplacedMails(trx, { userId, kind: 'sign-in-link' });
  await enqueueMail(trx, {
    kind: 'sign-in-link',
    recipient: email,
    subject: isNew ? t('Create your Sendwell account') : t('Your link to sign in to Sendwell'),
    ...content,
    ...(userId !== null && { userId }),
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}

type EmailChange = {
  userId: string;
  language: LanguageCode | null;
  oldEmail: string;
  newEmail: string;
  undoUrl: string;
  undoDays: number;
  createdAt: number;
};

export async function enqueueEmailChangedMail(
  trx: Trx,
  { userId, language, oldEmail, newEmail, undoUrl, undoDays, createdAt }: EmailChange,
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('If that was you, there is nothing to do.'),
    title: t('Your email address was changed'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: t('From'), value: oldEmail },
          { label: t('To'), value: newEmail },
          { label: t('When'), value: wording.formatInstant(createdAt) },
        ],
      },
      {
        kind: 'text',
        text: t(
          'Emails about your account now go to the new address. If that was you, there is nothing to do.',
        ),
      },
      {
        kind: 'note',
        text: t(
          "If this wasn't you, undo it within {days, plural, one {# day} other {# days}}. This restores the old address, signs out all devices, removes passkeys and an authenticator app added since, disables all API keys and webhooks, and emails you a link to set a new password.",
          { days: undoDays },
        ),
      },
      { kind: 'button', label: t("This wasn't me: undo it"), url: undoUrl },
    ],
    reason: t(SECURITY_REASON),
  });
  await enqueueMail(trx, {
    kind: 'email-changed',
    recipient: oldEmail,
    subject: t('Your Sendwell email address was changed'),
    ...content,
    userId,
    createdAt,
  });
}

export const SECURITY_REASON = msg('Emails about the security of your account cannot be turned off.');
