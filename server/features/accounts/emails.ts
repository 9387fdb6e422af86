import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { countOf } from '../../../contracts/values/format.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { dropReplacedMails, enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { formatInstant } from '../../platform/mail/wording.ts';
import { ALERT_DAYS } from './account-alerts.ts';

/**
 * The outbox drops the mail once the code has expired or been replaced. The mail contains no user input, because the
 * address may belong to another person.
 */
export async function enqueueCodeMail(
  trx: Trx,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { code, url, minutes, createdAt }: { code: string; url: string; minutes: number; createdAt: number },
): Promise<void> {
  const content = renderMail({
    preview: `Enter it on the page that asked for it. It is valid for ${minutes} minutes.`,
    title: 'Verify your email address',
    blocks: [
      { kind: 'text', text: 'Enter this code on the page that asked for it.' },
      { kind: 'code', code },
      { kind: 'button', label: 'Continue with this code', url },
      {
        kind: 'text',
        text: `It is valid for ${minutes} minutes and can be used once. Nobody at Sendwell will ever ask you for it.`,
      },
    ],
    reason:
      'You received this email because this address was entered at Sendwell. ' +
      "If that wasn't you, ignore this email. Nothing happens without the code.",
  });
  await dropReplacedMails(trx, { userId: id, kind: 'verification-code' });
  await enqueueMail(trx, {
    kind: 'verification-code',
    recipient: email,
    subject: `${code} is your Sendwell code`,
    ...content,
    userId: id,
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}

export async function enqueuePasswordChangedMail(
  trx: Trx,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { secureUrl, createdAt }: { secureUrl: string; createdAt: number },
): Promise<void> {
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title: 'Your password was changed',
    blocks: [
      { kind: 'facts', facts: [{ label: 'When', value: formatInstant(createdAt) }] },
      { kind: 'text', text: 'All other devices were signed out. If that was you, there is nothing to do.' },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'password-changed',
    recipient: email,
    subject: 'Your Sendwell password was changed',
    ...content,
    userId: id,
    createdAt,
  });
}

/** `url` comes from `createAlertLink`. */
export function alertBlocks(url: string): MailBlock[] {
  return [
    {
      kind: 'note',
      text: `If this wasn't you, secure your account within ${countOf(ALERT_DAYS, 'day')}. This signs out all devices, removes passkeys and an authenticator app added since, disables all API keys and webhooks, and emails you a link to set a new password.`,
    },
    { kind: 'button', label: "This wasn't me", url },
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
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { device, place, address, method, secureUrl, createdAt }: NewDevice,
): Promise<void> {
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title: 'New sign-in to your account',
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: 'When', value: formatInstant(createdAt) },
          { label: 'Device', value: device },
          { label: 'Place', value: place },
          { label: 'Address', value: address },
          { label: 'Signed in with', value: method },
        ],
      },
      {
        kind: 'text',
        text: 'Someone signed in from a browser that we have not seen before. If that was you, there is nothing to do.',
      },
      ...alertBlocks(secureUrl),
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'new-device',
    recipient: email,
    subject: 'New sign-in to your Sendwell account',
    ...content,
    userId: id,
    createdAt,
  });
}

type SignInLink = { email: string; userId: string | null; url: string; minutes: number; createdAt: number };

/** The outbox drops the mail once the link has expired. `userId` is null if the link creates the account. */
export async function enqueueSignInLinkMail(
  trx: Trx,
  { email, userId, url, minutes, createdAt }: SignInLink,
): Promise<void> {
  const isNew = userId === null;
  const content = renderMail({
    preview: `The link is valid for ${minutes} minutes.`,
    title: isNew ? 'Create your account' : 'Sign in to Sendwell',
    blocks: [
      {
        kind: 'text',
        text: isNew
          ? 'Open the link and press the button on the page. This creates a Sendwell account for this address and signs you in.'
          : 'Open the link and press the button on the page to sign in.',
      },
      { kind: 'button', label: isNew ? 'Create my account' : 'Sign in', url },
      {
        kind: 'text',
        text: `The link is valid for ${minutes} minutes and can be used once. Don't forward this email: whoever has the link can sign in.`,
      },
    ],
    reason:
      'You received this email because this address was entered at Sendwell. ' +
      "If that wasn't you, ignore this email. Nothing happens without the link.",
  });
  if (userId !== null) await dropReplacedMails(trx, { userId, kind: 'sign-in-link' });
  await enqueueMail(trx, {
    kind: 'sign-in-link',
    recipient: email,
    subject: isNew ? 'Create your Sendwell account' : 'Your link to sign in to Sendwell',
    ...content,
    ...(userId !== null && { userId }),
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}

type EmailChange = {
  userId: string;
  oldEmail: string;
  newEmail: string;
  undoUrl: string;
  undoDays: number;
  createdAt: number;
};

export async function enqueueEmailChangedMail(
  trx: Trx,
  { userId, oldEmail, newEmail, undoUrl, undoDays, createdAt }: EmailChange,
): Promise<void> {
  const content = renderMail({
    preview: 'If that was you, there is nothing to do.',
    title: 'Your email address was changed',
    blocks: [
      {
        kind: 'facts',
        facts: [
          { label: 'From', value: oldEmail },
          { label: 'To', value: newEmail },
          { label: 'When', value: formatInstant(createdAt) },
        ],
      },
      {
        kind: 'text',
        text: 'Emails about your account now go to the new address. If that was you, there is nothing to do.',
      },
      {
        kind: 'note',
        text: `If this wasn't you, undo it within ${countOf(undoDays, 'day')}. This restores the old address, signs out all devices, removes passkeys and an authenticator app added since, disables all API keys and webhooks, and emails you a link to set a new password.`,
      },
      { kind: 'button', label: "This wasn't me: undo it", url: undoUrl },
    ],
    reason: SECURITY_REASON,
  });
  await enqueueMail(trx, {
    kind: 'email-changed',
    recipient: oldEmail,
    subject: 'Your Sendwell email address was changed',
    ...content,
    userId,
    createdAt,
  });
}

export const SECURITY_REASON = 'Emails about the security of your account cannot be turned off.';
