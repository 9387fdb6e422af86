import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { InvitationRow, TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { toOneLine } from '../../../platform/mail/plain-text.ts';
import type { MailBlock, MailFile } from '../../../platform/mail/template/content.ts';
import { renderMail } from '../../../platform/mail/template/layout.ts';
import { type Wording, wordingIn } from '../../../platform/mail/wording.ts';

const NAME_LENGTH = 60;
const TITLE_LENGTH = 100;

type VisitorCodeMail = {
  /** The visitor's. */
  language: LanguageCode | null;
  /** Also the id of the email, which is dropped with the visit. */
  visitId: string;
  recipient: string;
  invitation: Pick<InvitationRow, 'title'>;
  inviter: Pick<UserRow, 'id' | 'name'>;
  code: string;
  minutes: number;
  createdAt: number;
};

/**
 * Enqueues the email with a visitor's 6-digit code; it is not sent once the code is void. The address may be someone
 * else's, so the email quotes only the sender's name and title, each on one line.
 */
export async function enqueueVisitorCodeMail(trx: Trx, mail: VisitorCodeMail): Promise<void> {
  const { visitId, recipient, language, invitation, inviter, code, minutes, createdAt } = mail;
  const wording = wordingIn(language);
  const { t } = wording;
  const name = toOneLine(inviter.name, NAME_LENGTH);
  const title = toOneLine(invitation.title, TITLE_LENGTH);
  const content = renderMail(wording, {
    preview: t('Enter it on the upload page of {name}. It is valid for {minutes} minutes.', {
      name,
      minutes,
    }),
    title: t('Verify your email address'),
    blocks: [
      {
        kind: 'text',
        text: t('Enter this code on the page where {name} is requesting files from you (“{title}”).', {
          name,
          title,
        }),
      },
      { kind: 'code', code },
      {
        kind: 'text',
        text: t(
          'It is valid for {minutes} minutes and can be used once. Nobody at Sendwell will ever ask you for it.',
          { minutes },
        ),
      },
    ],
    reason: t(
      "You received this email because this address was entered on an upload page at Sendwell. If that wasn't you, ignore this email. Nothing happens without the code.",
    ),
  });
  await enqueueMail(trx, {
    id: visitId,
    kind: 'visitor-code',
    recipient,
    subject: t('{code} is your Sendwell code', { code }),
    ...content,
    userId: inviter.id,
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}

export type ReceiptFile = {
  path: string;
  sizeBytes: number;
  /** Lower-case hex. */
  sha256: string | null;
  isDamaged: boolean;
};

type ReceiptMail = {
  transfer: Pick<
    TransferRow,
    'id' | 'title' | 'encryption' | 'fileCount' | 'totalBytes' | 'readyAt' | 'expiresAt'
  >;
  owner: Pick<UserRow, 'id' | 'name' | 'email' | 'language'>;
  recipient: string;
  files: ReceiptFile[];
  /** Counts all files, including those not listed. */
  damagedCount: number;
  createdAt: number;
};

/**
 * Enqueues a visitor's receipt: the files that arrived, who received them, and their SHA-256, unless they are encrypted.
 * It doesn't link to the files, which now belong to the receiver. Replies go to the receiver.
 */
export async function enqueueVisitorReceipt(trx: Trx, mail: ReceiptMail): Promise<void> {
  const { transfer, owner, recipient, createdAt } = mail;
  const wording = wordingIn(owner.language);
  const { t, describeFiles } = wording;
  const name = toOneLine(owner.name, NAME_LENGTH);
  const what = describeFiles(transfer);
  const content = renderMail(wording, {
    preview: t('{name} has received {what}.', { name, what }),
    title: t('Your files have arrived'),
    blocks: [
      {
        kind: 'text',
        text: t('{name} ({email}) has received {what} from you.', { name, email: owner.email, what }),
      },
      { kind: 'facts', facts: describeDelivery(wording, transfer) },
      ...warnOfDamage(wording, mail.damagedCount),
      ...(transfer.encryption === null ? listReceivedFiles(wording, mail) : explainEncryption(wording, name)),
    ],
    reason: t(
      'You received this email because files were sent to {name} through Sendwell after this address was verified. If you have questions about them, reply to this email to reach {name}.',
      { name },
    ),
  });
  await enqueueMail(trx, {
    kind: 'visitor-receipt',
    recipient,
    replyTo: owner.email,
    subject: t('{name} has received your {fileCount, plural, one {# file} other {# files}}', {
      name,
      fileCount: transfer.fileCount,
    }),
    ...content,
    transferId: transfer.id,
    userId: owner.id,
    createdAt,
  });
}

function listReceivedFiles(wording: Wording, { transfer, files }: ReceiptMail): MailBlock[] {
  const { fileCount, totalBytes } = transfer;
  const text = wording.t(
    'To check a file, compare its SHA-256 with the one on your computer. If they match, it arrived unchanged.',
  );
  return [
    { kind: 'files', files: files.map((file) => toMailFile(wording, file)), fileCount, totalBytes },
    { kind: 'text', text },
  ];
}

/** The server knows neither names nor checksums of the contents. */
function explainEncryption({ t }: Wording, name: string): MailBlock[] {
  const text = t(
    'They are end-to-end encrypted, so this email cannot name them. Only {name} can open them, and their browser notices any change.',
    { name },
  );
  return [{ kind: 'note', text }];
}

function describeDelivery(
  { t, formatInstant }: Wording,
  { title, readyAt, expiresAt }: ReceiptMail['transfer'],
) {
  return [
    ...(title === null ? [] : [{ label: t('For'), value: toOneLine(title, TITLE_LENGTH) }]),
    ...(readyAt === null ? [] : [{ label: t('Received'), value: formatInstant(readyAt) }]),
    ...(expiresAt === null ? [] : [{ label: t('Kept until'), value: formatInstant(expiresAt) }]),
  ];
}

function warnOfDamage({ t }: Wording, count: number): MailBlock[] {
  if (count === 0) return [];
  const text = t(
    '{count, plural, one {One file was damaged while it was being stored. Please send it again.} other {# files were damaged while they were being stored. Please send them again.}}',
    { count },
  );
  return [{ kind: 'note', text }];
}

function toMailFile(wording: Wording, { path, sizeBytes, sha256, isDamaged }: ReceiptFile): MailFile {
  return { name: path, sizeBytes, note: describeSum(wording, { sha256, isDamaged }) };
}

function describeSum(
  { t }: Wording,
  { sha256, isDamaged }: Pick<ReceiptFile, 'sha256' | 'isDamaged'>,
): string {
  if (isDamaged) return t('Damaged. Please send it again.');
  return sha256 === null ? t('SHA-256 not computed yet') : `SHA-256 ${sha256}`;
}
