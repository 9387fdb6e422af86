import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { countOf, formatCount } from '../../../contracts/values/format.ts';
import { shareLink, transferPath, unsubscribePath } from '../../../contracts/values/links.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { RecipientRow, TransferRow, UserRow } from '../../platform/db/schema.ts';
import type { MailKind } from '../../platform/mail/kinds.ts';
import { signUnsubscribe } from '../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { removeLinks, removeLinksFromNames, toOneLine } from '../../platform/mail/plain-text.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { describeFiles, formatDate, formatInstant } from '../../platform/mail/wording.ts';
import { isTrustedSender } from '../transfers/index.ts';

export type Notice = {
  owner: Pick<UserRow, 'id' | 'name' | 'email' | 'tier' | 'isAdmin'>;
  transfer: Pick<
    TransferRow,
    'id' | 'token' | 'title' | 'createdAt' | 'expiresAt' | 'fileCount' | 'totalBytes'
  > & { firstFileName: string | null };
  publicUrl: string;
  secret: string;
  now: number;
  /** The transfer is deleted in this transaction, so the email cannot link to its page. */
  isRemoved?: boolean;
};

export async function enqueueDownloadNotice(
  trx: Trx,
  notice: Notice & { downloads: number; recipients: string[] },
): Promise<void> {
  const { transfer, downloads, recipients } = notice;
  const name = nameOf(transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'download-notice',
    scope: 'download',
    subject: `${countOf(downloads, 'download')} of ${name}`,
    title: 'Your files were downloaded',
    blocks: [
      {
        kind: 'figure',
        value: String(downloads),
        caption: `${downloads === 1 ? 'download' : 'downloads'} of ${name}`,
      },
      ...listPeople('Downloaded by', recipients),
      ...describeTransfer(transfer),
      ...(notice.isRemoved ? [LAST_DOWNLOAD] : []),
    ],
  });
}

const LAST_DOWNLOAD: MailBlock = {
  kind: 'text',
  text: 'That was the last download you allowed, so the transfer and its files were deleted, as you chose.',
};

export async function enqueueViewNotice(
  trx: Trx,
  notice: Notice & { views: number; recipients: string[] },
): Promise<void> {
  const { transfer, views, recipients } = notice;
  const name = nameOf(transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'view-notice',
    scope: 'view',
    subject: `${countOf(views, 'view')} of ${name}`,
    title: 'Your link was opened',
    blocks: [
      { kind: 'figure', value: String(views), caption: `${views === 1 ? 'view' : 'views'} of ${name}` },
      ...listPeople('Opened by', recipients),
      ...describeTransfer(transfer),
    ],
  });
}

export async function enqueueExpiryNotice(
  trx: Trx,
  notice: Notice & { downloads: number; removedAt: number },
): Promise<void> {
  const { transfer, downloads, removedAt } = notice;
  const name = nameOf(transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'expiry-notice',
    scope: 'expiry',
    subject: `Expired: ${name}`,
    title: 'Your transfer has expired',
    blocks: [
      { kind: 'text', text: `${name} can no longer be downloaded.` },
      ...describeTransfer(transfer, [
        { label: 'Downloads', value: formatCount(downloads) },
        { label: 'Files removed', value: formatInstant(removedAt) },
      ]),
    ],
  });
}

export type ReopenRequest = {
  note: string | undefined;
  maxDownloads: number | null;
  /** When the files will be removed, if the transfer has expired. */
  removedAt: number | undefined;
};

export async function enqueueReopenRequest(trx: Trx, notice: Notice & ReopenRequest): Promise<void> {
  const { transfer, note, maxDownloads, removedAt } = notice;
  const name = nameOf(transfer);
  const isExpired = removedAt !== undefined;
  const cause = isExpired
    ? 'has expired'
    : `has reached its limit of ${countOf(maxDownloads ?? 0, 'download')}`;
  const advice = isExpired ? 'choose “Extend”' : 'raise the download limit';
  await enqueueToOwner(trx, notice, {
    kind: 'reopen-request',
    scope: 'reopen',
    subject: `Someone asks you to reopen ${name}`,
    title: 'Someone still needs your files',
    blocks: [
      { kind: 'text', text: `Someone with the link wants to download ${name}, which ${cause}.` },
      // Anyone with the link can write it, so it must not lead readers elsewhere.
      ...(note ? [{ kind: 'quote' as const, text: removeLinks(note), author: 'Someone with the link' }] : []),
      ...describeTransfer(
        transfer,
        isExpired ? [{ label: 'Files removed', value: formatInstant(removedAt) }] : [],
      ),
      { kind: 'text', text: `To reopen it, open the transfer and ${advice}. The link stays the same.` },
    ],
  });
}

export async function enqueueSenderReminder(
  trx: Trx,
  notice: Notice & { waiting: string[]; downloads: number },
): Promise<void> {
  const { transfer, waiting, downloads } = notice;
  const name = nameOf(transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'sender-reminder',
    scope: 'expiry',
    subject: `Expires soon: ${name}`,
    title: 'Your transfer expires soon',
    blocks: [
      { kind: 'text', text: `${name} can be downloaded until ${formatExpiry(transfer)}.` },
      ...listPeople('Not downloaded yet by', waiting),
      ...describeTransfer(transfer, [{ label: 'Downloads', value: formatCount(downloads) }]),
      { kind: 'text', text: 'If someone needs more time, extend the expiry on the page of the transfer.' },
    ],
  });
}

export async function enqueueRecipientReminder(
  trx: Trx,
  notice: Notice & { recipient: RecipientRow },
): Promise<void> {
  const { owner, transfer, publicUrl, secret, now, recipient } = notice;
  const unsubscribeToken = signUnsubscribe({ secret }, { email: recipient.email, scope: 'transfers' });
  // Emails of free accounts contain no links except our own, to prevent spam.
  const isTrusted = isTrustedSender(owner);
  const sender = toOneLine(isTrusted ? owner.name : removeLinks(owner.name), NAME_LENGTH);
  const what = nameOf(isTrusted ? transfer : removeLinksFromNames(transfer));
  await enqueueMail(trx, {
    kind: 'recipient-reminder',
    recipient: recipient.email,
    replyTo: owner.email,
    subject: `Still waiting for you: ${what} from ${sender}`,
    ...renderMail({
      preview: `You can download until ${formatExpiry(transfer)}.`,
      title: 'These files are still waiting for you',
      blocks: [
        {
          kind: 'text',
          text: `${sender} (${owner.email}) sent you ${what}, which you have not downloaded yet.`,
        },
        {
          kind: 'facts',
          facts: [
            { label: 'Size', value: describeFiles(transfer) },
            { label: 'Available until', value: formatExpiry(transfer) },
          ],
        },
        { kind: 'button', label: 'Download', url: shareLink(publicUrl, transfer.token, recipient.token) },
      ],
      reason: `You received this email because ${sender} (${owner.email}) entered your address at Sendwell. It is the only reminder.`,
      unsubscribe: {
        label: 'Stop emails about transfers from Sendwell',
        url: publicUrl + unsubscribePath(unsubscribeToken),
      },
    }),
    transferId: transfer.id,
    userId: owner.id,
    unsubscribeToken,
    createdAt: now,
  });
}

type Composition = {
  kind: MailKind;
  scope: Exclude<UnsubscribeScope, 'transfers'>;
  subject: string;
  title: string;
  blocks: MailBlock[];
};

const NOTICE_NAMES: Record<Composition['scope'], string> = {
  download: 'downloads',
  view: 'views',
  expiry: 'expiring transfers',
  reopen: 'requests to reopen transfers',
};

async function enqueueToOwner(
  trx: Trx,
  { owner, transfer, publicUrl, secret, now, isRemoved }: Notice,
  { kind, scope, subject, title, blocks }: Composition,
): Promise<void> {
  const unsubscribeToken = signUnsubscribe({ secret }, { email: owner.email, scope, userId: owner.id });
  const notices = NOTICE_NAMES[scope];
  await enqueueMail(trx, {
    kind,
    recipient: owner.email,
    subject,
    ...renderMail({
      preview: describeFiles(transfer),
      title,
      blocks: [
        ...blocks,
        isRemoved
          ? { kind: 'button', label: 'See your transfers', url: publicUrl + PAGES.dashboard }
          : { kind: 'button', label: 'See the transfer', url: publicUrl + transferPath(transfer.id) },
      ],
      reason: `You received this email because emails about ${notices} are turned on in your settings: ${publicUrl}${PAGES.settingsNotifications}`,
      unsubscribe: {
        label: `Stop emails about ${notices}`,
        url: publicUrl + unsubscribePath(unsubscribeToken),
      },
    }),
    ...(!isRemoved && { transferId: transfer.id }),
    userId: owner.id,
    unsubscribeToken,
    createdAt: now,
  });
}

function describeTransfer(
  transfer: Notice['transfer'],
  further: { label: string; value: string }[] = [],
): MailBlock[] {
  const facts = [
    { label: 'Sent', value: formatDate(transfer.createdAt) },
    { label: 'Content', value: describeFiles(transfer) },
    ...further,
  ];
  return [{ kind: 'facts', facts }];
}

function listPeople(label: string, emails: string[]): MailBlock[] {
  return emails.length === 0 ? [] : [{ kind: 'people', label, emails }];
}

const NAME_LENGTH = 60;
const TITLE_LENGTH = 80;

export function nameOf(transfer: Notice['transfer']): string {
  return `“${toOneLine(nameTransfer(transfer), TITLE_LENGTH)}”`;
}

function formatExpiry({ expiresAt }: Notice['transfer']): string {
  return expiresAt === null ? 'its owner removes it' : formatInstant(expiresAt);
}
