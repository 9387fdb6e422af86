import type { Trx } from '../db/open.ts';
import { enqueue } from '../jobs/queue.ts';
import { AppError } from '../lib/app-error.ts';
import { sendMail } from './send-mail.ts';

/**
 * Has a mail that failed tried once more, from the beginning. Of several who ask at once one succeeds. Throws AppError `mail_not_found`, `conflict` (it has not failed, or its
 * text is not kept any more).
 */
export async function retryMail(trx: Trx, mailId: string): Promise<void> {
  const revived = await trx
    .updateTable('mails')
    .set({ state: 'queued', lastError: null })
    .where('id', '=', mailId)
    .where('state', '=', 'failed')
    .where('text', '!=', '')
    .returning('id')
    .executeTakeFirst();
  if (!revived) throw await explainRefusal(trx, mailId);
  await enqueue(trx, sendMail, { mailId });
}

async function explainRefusal(trx: Trx, mailId: string): Promise<AppError> {
  const mail = await trx.selectFrom('mails').select('state').where('id', '=', mailId).executeTakeFirst();
  if (!mail) return new AppError('mail_not_found');
  const message =
    mail.state === 'failed'
      ? 'The text of this mail is not kept any more. It has to be asked for anew.'
      : 'This mail has not failed.';
  return new AppError('conflict', { message });
}
