import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import { shareLink, transferPath, unsubscribePath } from '../../../contracts/values/links.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { RecipientRow, TransferRow, UserRow } from '../../platform/db/schema.ts';
import type { MailKind } from '../../platform/mail/kinds.ts';
import { signUnsubscribe } from '../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { removeLinks, toOneLine } from '../../platform/mail/plain-text.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { countOf, describeFiles, formatDate, formatInstant } from '../../platform/mail/wording.ts';
import { isTrustedSender } from '../transfers/index.ts';

/** What every notice about a transfer is made from. */
export type Notice = {
  owner: Pick<UserRow, 'id' | 'name' | 'email' | 'tier' | 'isAdmin'>;
  transfer: Pick<
    TransferRow,
    'id' | 'token' | 'title' | 'createdAt' | 'expiresAt' | 'fileCount' | 'totalBytes'
  >;
  publicUrl: string;
  /** Signs the way out. */
  secret: string;
  /** Epoch milliseconds: when the notice is asked for. */
  now: number;
  /** The transfer goes with this very commit: the mail outlives it and has no page to point to. */
  isRemoved?: boolean;
};

/** Tells the owner of new downloads; `recipients` are the addresses known to have downloaded. */
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
  text: 'That was the last download you allowed: the transfer and its files were deleted, as you chose.',
};

/** Tells the owner that the link was opened; `recipients` are the addresses known to have opened it. */
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

/** Tells the owner that a transfer has expired, and when its files go (epoch milliseconds). */
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
      { kind: 'text', text: `Nobody can download ${name} any more.` },
      ...describeTransfer(transfer, [
        { label: 'Downloads', value: downloads.toLocaleString('en') },
        { label: 'Files removed', value: formatInstant(removedAt) },
      ]),
    ],
  });
}

/** Tells the owner that a transfer is about to expire, and who has not downloaded yet. */
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
      { kind: 'text', text: `${capitalise(name)} can be downloaded until ${formatExpiry(transfer)}.` },
      ...listPeople('Not downloaded yet by', waiting),
      ...describeTransfer(transfer, [{ label: 'Downloads', value: downloads.toLocaleString('en') }]),
      { kind: 'text', text: 'If somebody needs more time, give it a later date on its page.' },
    ],
  });
}

/** Tells a recipient who has not downloaded that the files are about to go; answers go to the sender. */
export async function enqueueRecipientReminder(
  trx: Trx,
  notice: Notice & { recipient: RecipientRow },
): Promise<void> {
  const { owner, transfer, publicUrl, secret, now, recipient } = notice;
  const unsubscribeToken = signUnsubscribe({ secret }, { email: recipient.email, scope: 'transfers' });
  // Mails of free accounts contain no links but ours.
  const quote = isTrustedSender(owner) ? (text: string) => text : removeLinks;
  const sender = toOneLine(quote(owner.name), NAME_LENGTH);
  const what = transfer.title
    ? `“${toOneLine(quote(transfer.title), TITLE_LENGTH)}”`
    : describeFiles(transfer);
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
          text: `${sender} (${owner.email}) sent you ${what}, and you have not downloaded yet.`,
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
      reason: `You get this mail, once, because ${sender} (${owner.email}) entered your address at Sendwell.`,
      unsubscribe: {
        label: 'Get no more transfers from Sendwell',
        url: publicUrl + unsubscribePath(unsubscribeToken),
      },
    }),
    transferId: transfer.id,
    userId: owner.id,
    unsubscribeToken,
    createdAt: now,
  });
}

/** Tells the owner that stored files are damaged, and how to repair them. Cannot be turned off. */
export async function enqueueDamageNotice(
  trx: Trx,
  notice: Notice & { damaged: { name: string; sizeBytes: number }[]; receivedFrom: string | null },
): Promise<void> {
  const { owner, transfer, publicUrl, now, damaged, receivedFrom } = notice;
  const name = nameOf(transfer);
  const isOne = damaged.length === 1;
  const files = countOf(damaged.length, 'file');
  const source = receivedFrom ? ` If you have no copy, ask ${receivedFrom} for it.` : '';
  await enqueueMail(trx, {
    kind: 'damage-notice',
    recipient: owner.email,
    subject: `${isOne ? 'A damaged file' : `${files} damaged`} in ${name}`,
    ...renderMail({
      preview: `${isOne ? 'It' : 'They'} cannot be downloaded until you send ${isOne ? 'it' : 'them'} again.`,
      title: isOne ? 'A file is damaged' : `${files} are damaged`,
      blocks: [
        {
          kind: 'text',
          text:
            `The server can no longer read ${isOne ? 'a file' : files} of ${name} as uploaded. ` +
            `Nobody can download ${isOne ? 'it' : 'them'} until ${isOne ? 'it is' : 'they are'} repaired. ` +
            'All other files are fine.',
        },
        {
          kind: 'files',
          files: damaged.slice(0, DAMAGED_NAMED),
          fileCount: damaged.length,
          totalBytes: damaged.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        },
        {
          kind: 'text',
          text:
            `To repair ${isOne ? 'it' : 'them'}, open the transfer, choose “Send again” beside the file and ` +
            `select the original. The link stays the same.${source}`,
        },
        { kind: 'button', label: 'Repair the transfer', url: publicUrl + transferPath(transfer.id) },
      ],
      reason: 'You get this mail because files that you keep at Sendwell are damaged.',
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

/** Why a file is blocked: what the scanner calls it; undefined for one that an administrator has taken down. */
export type BlockedFile = { name: string; sizeBytes: number; signature: string | null };

/** Tells the owner that nobody can download a transfer because of these files. Cannot be turned off. */
export async function enqueueBlockedNotice(
  trx: Trx,
  notice: Notice & { blocked: BlockedFile[]; receivedFrom: string | null },
): Promise<void> {
  const { owner, transfer, publicUrl, now, blocked, receivedFrom } = notice;
  const name = nameOf(transfer);
  const isOne = blocked.length === 1;
  const infected = blocked.filter(({ signature }) => signature !== null);
  const signatures = [...new Set(infected.map(({ signature }) => signature))].slice(0, SIGNATURES_NAMED);
  const cause =
    infected.length > 0
      ? `The virus scanner found malware in ${isOne ? 'a file' : 'files'} of ${name}: ${signatures.join(', ')}.`
      : `An administrator has blocked ${isOne ? 'a file' : 'files'} of ${name}.`;
  const advice = receivedFrom
    ? `The files came from ${receivedFrom}. Do not open them; let the sender know.`
    : infected.length > 0
      ? 'Scan the computer that the file comes from. Then delete this transfer and send the other files again.'
      : 'You can delete this transfer and send the other files again.';
  await enqueueMail(trx, {
    kind: 'blocked-notice',
    recipient: owner.email,
    subject: `Nobody can download ${name}: ${isOne ? 'a file is' : `${blocked.length} files are`} blocked`,
    ...renderMail({
      preview: infected.length > 0 ? 'Malware was found in it.' : 'A file in it was blocked.',
      title: 'Your transfer is blocked',
      blocks: [
        { kind: 'text', text: `${cause} Nobody can download anything from this transfer.` },
        {
          kind: 'files',
          files: blocked.slice(0, DAMAGED_NAMED),
          fileCount: blocked.length,
          totalBytes: blocked.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        },
        {
          kind: 'text',
          text: `${advice} If you think this is a mistake, ask your administrator to release it.`,
        },
        { kind: 'button', label: 'See the transfer', url: publicUrl + transferPath(transfer.id) },
      ],
      reason: 'You get this mail because a transfer that you keep at Sendwell is blocked.',
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

const SIGNATURES_NAMED = 5;

/** How many damaged or blocked files the mail names before "and N more". */
const DAMAGED_NAMED = 20;

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
      reason: `You get this mail because mails about ${notices} are on in your settings: ${publicUrl}${PAGES.settings}`,
      unsubscribe: {
        label: `Get no more mails about ${notices}`,
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

/** Its title, or what it is called without one. */
function nameOf({ title, createdAt }: Notice['transfer']): string {
  return title ? `“${toOneLine(title, TITLE_LENGTH)}”` : `your transfer of ${formatDate(createdAt)}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function formatExpiry({ expiresAt }: Notice['transfer']): string {
  return expiresAt === null ? 'its owner removes it' : formatInstant(expiresAt);
}
