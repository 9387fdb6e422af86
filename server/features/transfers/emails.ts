import { shareLink } from '../../../contracts/links.ts';
import { formatSize } from '../../../contracts/sizes.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../platform/db/schema.ts';
import { renderMail } from '../../platform/mail/layout.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';

export type ShareMail = {
  transfer: TransferRow;
  sender: Pick<UserRow, 'id' | 'name' | 'email'>;
  publicUrl: string;
  /** Epoch milliseconds: when the mail is asked for. */
  now: number;
};

/** Schedules what a transfer's people are told when it becomes ready: its recipients, and who asked for it. */
export async function enqueueReadyMails(trx: Trx, mail: ShareMail): Promise<void> {
  await enqueueShareMails(trx, mail, JSON.parse(mail.transfer.recipientEmails) as string[]);
  if (mail.transfer.receivedFrom !== null) await enqueueReceivedMail(trx, mail, mail.transfer.receivedFrom);
}

/** Schedules the share link for each recipient, one mail each; answers go to the sender. */
export async function enqueueShareMails(trx: Trx, mail: ShareMail, recipients: string[]): Promise<void> {
  const { transfer, sender, now } = mail;
  const content = composeShareMail(mail);
  for (const recipient of recipients) {
    await enqueueMail(trx, {
      kind: 'transfer-ready',
      recipient,
      replyTo: sender.email,
      ...content,
      transferId: transfer.id,
      userId: sender.id,
      createdAt: now,
    });
  }
}

/** Tells the owner of an invitation what a visitor has sent. */
async function enqueueReceivedMail(
  trx: Trx,
  { transfer, sender: owner, publicUrl, now }: ShareMail,
  visitorEmail: string,
): Promise<void> {
  const title = `${visitorEmail} sent you ${describeFiles(transfer)}`;
  await enqueueMail(trx, {
    kind: 'transfer-received',
    recipient: owner.email,
    replyTo: visitorEmail,
    subject: title,
    ...renderMail({
      title,
      paragraphs: [
        'They came through your upload invitation.',
        ...(transfer.message ? [transfer.message] : []),
      ],
      button: { label: 'See the files', url: shareLink(publicUrl, transfer.token) },
      ...describeExpiry(transfer),
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

function composeShareMail({ transfer, sender, publicUrl }: ShareMail) {
  const name = oneLine(sender.name);
  const what = describeFiles(transfer);
  return {
    subject: transfer.title ? `${name} sent you “${oneLine(transfer.title)}”` : `${name} sent you ${what}`,
    ...renderMail({
      title: transfer.title ?? `${name} sent you files`,
      paragraphs: [
        `${name} (${sender.email}) sent you ${what}.`,
        ...(transfer.passwordHash === null ? [] : ['You need a password, which the sender can tell you.']),
        ...describeSchedule(transfer),
        ...(transfer.message ? [transfer.message] : []),
      ],
      button: { label: 'Download', url: shareLink(publicUrl, transfer.token) },
      ...describeExpiry(transfer),
    }),
  };
}

function describeFiles({ fileCount, totalBytes }: TransferRow): string {
  return `${fileCount === 1 ? '1 file' : `${fileCount} files`} (${formatSize(totalBytes)})`;
}

function describeSchedule({ scheduledAvailableAt }: TransferRow): string[] {
  return scheduledAvailableAt === null
    ? []
    : [`It can be downloaded from ${formatInstant(scheduledAvailableAt)} on.`];
}

function describeExpiry({ expiresAt }: TransferRow): { footnote?: string } {
  return expiresAt === null ? {} : { footnote: `The link is valid until ${formatInstant(expiresAt)}.` };
}

const INSTANT_FORMAT = new Intl.DateTimeFormat('en', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Recipients live in zones we do not know, so the zone is written out. */
function formatInstant(instant: number): string {
  return `${INSTANT_FORMAT.format(instant)} UTC`;
}

/** A subject is one line, whatever a person has called things. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
