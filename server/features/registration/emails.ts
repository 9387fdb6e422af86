import type { Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { renderMail } from '../../platform/mail/layout.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { countOf } from '../../platform/mail/wording.ts';

type InvitationMail = {
  recipient: string;
  /** The administrator's username. */
  invitedBy: string;
  url: string;
  days: number;
  createdAt: Instant;
  expiresAt: Instant;
};

/** Schedules the link to register; it is not sent once it has expired. Returns the mail's id. */
export async function enqueueAccountInvitationMail(
  trx: Trx,
  { recipient, invitedBy, url, days, createdAt, expiresAt }: InvitationMail,
): Promise<string> {
  const { host } = new URL(url);
  const content = renderMail({
    preview: `Create your account within ${countOf(days, 'day')}.`,
    title: 'You are invited to Sendwell',
    blocks: [
      { kind: 'text', text: `${invitedBy} invites you to send and receive files on ${host}.` },
      { kind: 'button', label: 'Create your account', url },
      {
        kind: 'text',
        text: `The link is for ${recipient}, can be used once and is valid for ${countOf(days, 'day')}.`,
      },
    ],
    reason:
      'You get this mail because an administrator entered your address. ' +
      'If you do not want an account, ignore it: nothing happens without the link.',
  });
  return enqueueMail(trx, {
    kind: 'account-invitation',
    recipient,
    subject: 'Your invitation to Sendwell',
    ...content,
    sendBefore: expiresAt,
    createdAt,
  });
}
