import { transferPath, unsubscribePath } from '../../../../contracts/values/addresses/links.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { RecipientRow, TransferRow } from '../../../platform/db/schema.ts';
import { signUnsubscribe } from '../../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import {
  removeLinks,
  removeLinksFromFileName,
  toOneLine,
  toPlainText,
} from '../../../platform/mail/plain-text.ts';
import type { MailBlock, MailFile } from '../../../platform/mail/template/content.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { msg, type Wording, wordingIn } from '../../../platform/mail/wording.ts';
import { presentProtection, recipientLink } from '../encryption/protection.ts';
import { type Sender, selectSender } from '../lifecycle/draft-queries.ts';
import { isTrustedSender } from '../limits/mail-quota.ts';
import { listFirstFiles } from '../queries.ts';
import { listMailedKeys } from './recipients.ts';

export type { MailFile };

export type ShareMail = {
  transfer: TransferRow;
  mailedBefore: ReadonlySet<string>;
  sender: Pick<Sender, 'id' | 'name' | 'email' | 'language' | 'tier' | 'isAdmin'>;
  /** The first five, in the sender's order. None of an encrypted transfer. */
  files: MailFile[];
  publicUrl: string;
  secret: string;
  /** Epoch milliseconds. */
  now: number;
};

export async function enqueueReadyMails(
  trx: Trx,
  mail: ShareMail,
  recipients: RecipientRow[],
): Promise<void> {
  await enqueueShareMails(trx, mail, recipients);
  if (mail.transfer.receivedFrom !== null) await enqueueReceivedMail(trx, mail, mail.transfer.receivedFrom);
}

/** Only recipients who were mailed before get it as a repetition. */
export async function enqueueShareMails(
  trx: Trx,
  mail: ShareMail,
  recipients: RecipientRow[],
): Promise<void> {
  const { transfer, sender, mailedBefore, now } = mail;
  const quotable = removeSenderLinks(mail, sender.language);
  for (const recipient of recipients) {
    const isResend = mailedBefore.has(recipient.emailKey);
    const { unsubscribeToken, ...content } = composeShareMail(quotable, recipient, isResend);
    await enqueueMail(trx, {
      kind: isResend ? 'transfer-resend' : 'transfer-ready',
      recipient: recipient.email,
      replyTo: sender.email,
      ...content,
      transferId: transfer.id,
      userId: sender.id,
      unsubscribeToken,
      createdAt: now,
    });
  }
}

type QuotableMail = ShareMail & { hasLostLinks: boolean };

/** Anyone can create free accounts, so their mails contain only our own links; the page shows the full texts. */
export function removeSenderLinks(mail: ShareMail, language: LanguageCode | null): QuotableMail {
  const { transfer, sender, files } = mail;
  if (isTrustedSender(sender)) return { ...mail, hasLostLinks: false };
  const { title, message } = transfer;
  const mark = wordingIn(language).t('[link removed]');
  const quotable = {
    title: title && removeLinks(title, mark),
    message: message && removeLinks(message, mark),
  };
  return {
    ...mail,
    transfer: { ...transfer, ...quotable },
    sender: { ...sender, name: removeLinks(sender.name, mark) },
    files: files.map((file) => ({ ...file, name: removeLinksFromFileName(file.name, mark) })),
    hasLostLinks: message !== null && quotable.message !== toPlainText(message),
  };
}

function composeShareMail(mail: QuotableMail, recipient: RecipientRow, isResend: boolean) {
  const { transfer, sender, publicUrl, secret } = mail;
  const wording = wordingIn(sender.language);
  const { t } = wording;
  const unsubscribeToken = signUnsubscribe({ secret }, { email: recipient.email, scope: 'transfers' });
  const name = shortName(sender.name);
  const what = wording.describeFiles(transfer);
  const title = wording.nameTransfer({ ...transfer, firstFileName: mail.files[0]?.name });
  return {
    subject: isResend
      ? t('Again: {name} sent you “{title}”', { name, title })
      : t('{name} sent you “{title}”', { name, title }),
    unsubscribeToken,
    ...renderMail(wording, {
      preview: t('{what} from {email}', { what, email: sender.email }),
      title,
      blocks: [
        {
          kind: 'text',
          text: isResend
            ? t('{name} ({email}) sent you this link again.', { name, email: sender.email })
            : t('{name} ({email}) sent you {what}.', { name, email: sender.email, what }),
        },
        ...quoteMessage(transfer, name),
        ...(mail.hasLostLinks ? [{ kind: 'note' as const, text: t(LOST_LINKS) }] : []),
        ...describeConditions(wording, transfer),
        ...explainKey(wording, transfer, name),
        { kind: 'button', label: t('Download'), url: recipientLink(publicUrl, transfer, recipient.token) },
        ...listFiles(mail),
      ],
      reason: t(
        "You received this email because {name} ({email}) entered your address at Sendwell. If you don't know them, don't open the files.",
        { name, email: sender.email },
      ),
      unsubscribe: {
        label: t('Stop emails about transfers from Sendwell'),
        url: publicUrl + unsubscribePath(unsubscribeToken),
      },
    }),
  };
}

async function enqueueReceivedMail(trx: Trx, mail: ShareMail, visitorEmail: string): Promise<void> {
  const { transfer, sender: owner, publicUrl, now } = mail;
  const wording = wordingIn(owner.language);
  const { t } = wording;
  const title = t('{visitorEmail} sent you {files}', {
    visitorEmail,
    files: wording.describeFiles(transfer),
  });
  await enqueueMail(trx, {
    kind: 'transfer-received',
    recipient: owner.email,
    replyTo: visitorEmail,
    subject: title,
    ...renderMail(wording, {
      preview: t('They came through your upload invitation.'),
      title: t('Files have arrived for you'),
      blocks: [
        { kind: 'text', text: `${title}. ${t('They came through your upload invitation.')}` },
        ...quoteMessage(transfer, visitorEmail),
        ...explainReceivedKey(wording, transfer),
        { kind: 'button', label: t('See the files'), url: publicUrl + transferPath(transfer.id) },
        ...listFiles(mail),
        ...describeConditions(wording, transfer),
      ],
      reason: t('You received this email because you invited people to send you files with Sendwell.'),
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

function listFiles({ files, transfer: { fileCount, totalBytes } }: ShareMail): MailBlock[] {
  return files.length === 0 ? [] : [{ kind: 'files', files, fileCount, totalBytes }];
}

function quoteMessage({ message }: TransferRow, author: string): MailBlock[] {
  return message ? [{ kind: 'quote', text: message, author }] : [];
}

/** The key is in the sender's link only, so the mail cannot contain it. */
export function explainKey({ t }: Wording, { encryption }: TransferRow, name: string): MailBlock[] {
  if (encryption === null) return [];
  const text = t(
    'These files are end-to-end encrypted. {name} shares the key with you separately. The link in this email opens the files only together with it.',
    { name },
  );
  return [{ kind: 'note', text }];
}

function explainReceivedKey({ t }: Wording, { encryption }: TransferRow): MailBlock[] {
  if (encryption === null) return [];
  const text = t(
    'They are end-to-end encrypted. Open them in a browser that has the key of your invitation, such as the one you created it with.',
  );
  return [{ kind: 'note', text }];
}

const LOST_LINKS = msg(
  'Links in this message were removed for your safety. The download page shows the whole message.',
);

function describeConditions(wording: Wording, transfer: TransferRow): MailBlock[] {
  const facts = listConditions(wording, transfer);
  return facts.length === 0 ? [] : [{ kind: 'facts', facts }];
}

export function listConditions(
  { t, formatInstant }: Wording,
  transfer: TransferRow,
): { label: string; value: string }[] {
  const { scheduledAvailableAt, expiresAt } = transfer;
  return [
    ...(scheduledAvailableAt === null
      ? []
      : [{ label: t('Available from'), value: formatInstant(scheduledAvailableAt) }]),
    ...(expiresAt === null ? [] : [{ label: t('Available until'), value: formatInstant(expiresAt) }]),
    ...(presentProtection(transfer).isPasswordProtected
      ? [{ label: t('Password'), value: t('Required. Ask the sender for it.') }]
      : []),
  ];
}

const NAME_LENGTH = 60;

export function shortName(name: string): string {
  return toOneLine(name, NAME_LENGTH);
}

const FILES_NAMED = 5;

/** Call it before enqueuing the mails, because it reads which recipients were mailed before. */
export async function gatherShareMail(
  trx: Trx,
  { clock, config, secret }: Pick<Context, 'clock' | 'config' | 'secret'>,
  transfer: TransferRow,
): Promise<ShareMail> {
  return {
    transfer,
    mailedBefore: await listMailedKeys(trx, transfer.id),
    sender: await selectSender(trx, transfer.userId),
    files: transfer.encryption === null ? await listFirstFiles(trx, transfer.id, FILES_NAMED) : [],
    publicUrl: config.publicUrl,
    secret,
    now: clock.now(),
  };
}
