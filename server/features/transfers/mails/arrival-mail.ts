import { shareLink, unsubscribePath } from '../../../../contracts/values/addresses/links.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { signUnsubscribe } from '../../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { wordingIn } from '../../../platform/mail/wording.ts';
import { explainKey, listConditions, removeSenderLinks, type ShareMail, shortName } from './emails.ts';

type Asker = { email: string; language: LanguageCode | null };

/**
 * Anyone with the link can enter any address, so the mail says only what the download page shows: not the sender's
 * address, and not the message.
 */
export async function enqueueArrivalNotice(
  trx: Trx,
  mail: ShareMail,
  { email, language }: Asker,
): Promise<void> {
  const { transfer, sender, files, publicUrl, secret, now } = removeSenderLinks(mail, language);
  const wording = wordingIn(language);
  const { t } = wording;
  const unsubscribeToken = signUnsubscribe({ secret }, { email, scope: 'transfers' });
  const name = shortName(sender.name);
  const title = wording.nameTransfer({ ...transfer, firstFileName: files[0]?.name });
  await enqueueMail(trx, {
    kind: 'arrival-notice',
    recipient: email,
    subject: t('All here: “{title}” from {name}', { title, name }),
    ...renderMail(wording, {
      preview: t('You can download all of it now.'),
      title: t('Everything has arrived'),
      blocks: [
        {
          kind: 'text',
          text: t('{name} has finished uploading “{title}”. You can download all of it now.', {
            name,
            title,
          }),
        },
        {
          kind: 'facts',
          facts: [
            { label: t('Size'), value: wording.describeFiles(transfer) },
            ...listConditions(wording, transfer),
          ],
        },
        { kind: 'button', label: t('Download'), url: shareLink(publicUrl, transfer.token) },
        ...explainKey(wording, transfer, name),
      ],
      reason: t(
        "You received this email because someone entered your address on the download page and asked for it. If that wasn't you, ignore this email. There won't be another one about these files.",
      ),
      unsubscribe: {
        label: t('Stop emails about transfers from Sendwell'),
        url: publicUrl + unsubscribePath(unsubscribeToken),
      },
    }),
    transferId: transfer.id,
    userId: sender.id,
    unsubscribeToken,
    createdAt: now,
  });
}
