import type { Trx } from '../../platform/db/open.ts';
import { renderMail } from '../../platform/mail/layout.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { formatInstant } from '../../platform/mail/wording.ts';

/** Schedules the last mail of an account. It belongs to no user, so that it outlives the row. */
export async function enqueueAccountDeletedMail(
  trx: Trx,
  { email, createdAt }: { email: string; createdAt: number },
): Promise<void> {
  const content = renderMail({
    preview: 'Your transfers and their files go with it.',
    title: 'Your account was deleted',
    blocks: [
      {
        kind: 'text',
        text: 'Your links stopped working at once. Your transfers, their files and everything we knew about you are being removed.',
      },
      { kind: 'facts', facts: [{ label: 'When', value: formatInstant(createdAt) }] },
      {
        kind: 'text',
        text: 'Thank you for having sent with us. Your username and address are free, should you come back.',
      },
    ],
    reason: 'This is the last mail about this account.',
  });
  await enqueueMail(trx, {
    kind: 'account-deleted',
    recipient: email,
    subject: 'Your Sendwell account was deleted',
    ...content,
    createdAt,
  });
}
