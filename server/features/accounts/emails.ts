import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { renderMail } from '../../platform/mail/layout.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';

/**
 * Schedules the mail with the six digits; it is not sent once they are void. It carries nothing that the
 * person who registered has written: the address may be somebody else's.
 */
export async function enqueueCodeMail(
  trx: Trx,
  { id, email }: UserRow,
  { code, minutes, createdAt }: { code: string; minutes: number; createdAt: number },
): Promise<void> {
  const content = renderMail({
    title: 'Verify your e-mail address',
    paragraphs: ['Enter this code on the page that asked for it.'],
    code,
    footnote:
      `The code is valid for ${minutes} minutes and can be used once. ` +
      'If you did not create a Sendwell account, you can ignore this mail.',
  });
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
