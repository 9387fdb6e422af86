import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import { transferPath, unsubscribePath } from '../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { RecipientRow, TransferRow, UserRow } from '../../platform/db/schema.ts';
import type { MailKind } from '../../platform/mail/kinds.ts';
import { signUnsubscribe } from '../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { removeLinks, removeLinksFromNames, toOneLine } from '../../platform/mail/plain-text.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { msg, type Wording, wordingIn } from '../../platform/mail/wording.ts';
import { isTrustedSender, recipientLink } from '../transfers/index.ts';

export type Notice = {
  owner: Pick<UserRow, 'id' | 'name' | 'email' | 'language' | 'tier' | 'isAdmin'>;
  transfer: Pick<
    TransferRow,
    'id' | 'token' | 'title' | 'encryption' | 'createdAt' | 'expiresAt' | 'fileCount' | 'totalBytes'
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
  const { owner, transfer, downloads, recipients } = notice;
  const wording = wordingIn(owner.language);
  const { t } = wording;
  const name = nameOf(wording, transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'download-notice',
    scope: 'download',
    subject: t('{downloads, plural, one {# download} other {# downloads}} of {name}', { downloads, name }),
    title: t('Your files were downloaded'),
    blocks: [
      {
        kind: 'figure',
        value: wording.formatCount(downloads),
        caption: t('{downloads, plural, one {download} other {downloads}} of {name}', { downloads, name }),
      },
      ...listPeople(t('Downloaded by'), recipients),
      ...describeTransfer(wording, transfer),
      ...(notice.isRemoved ? [{ kind: 'text' as const, text: t(LAST_DOWNLOAD) }] : []),
    ],
  });
}

const LAST_DOWNLOAD = msg(
  'That was the last download you allowed, so the transfer and its files were deleted, as you chose.',
);

export async function enqueueViewNotice(
  trx: Trx,
  notice: Notice & { views: number; recipients: string[] },
): Promise<void> {
  const { owner, transfer, views, recipients } = notice;
  const wording = wordingIn(owner.language);
  const { t } = wording;
  const name = nameOf(wording, transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'view-notice',
    scope: 'view',
    subject: t('{views, plural, one {# view} other {# views}} of {name}', { views, name }),
    title: t('Your link was opened'),
    blocks: [
      {
        kind: 'figure',
        value: wording.formatCount(views),
        caption: t('{views, plural, one {view} other {views}} of {name}', { views, name }),
      },
      ...listPeople(t('Opened by'), recipients),
      ...describeTransfer(wording, transfer),
    ],
  });
}

export async function enqueueExpiryNotice(
  trx: Trx,
  notice: Notice & { downloads: number; removedAt: number },
): Promise<void> {
  const { owner, transfer, downloads, removedAt } = notice;
  const wording = wordingIn(owner.language);
  const { t, formatCount, formatInstant } = wording;
  const name = nameOf(wording, transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'expiry-notice',
    scope: 'expiry',
    subject: t('Expired: {name}', { name }),
    title: t('Your transfer has expired'),
    blocks: [
      { kind: 'text', text: t('{name} can no longer be downloaded.', { name }) },
      ...describeTransfer(wording, transfer, [
        { label: t('Downloads'), value: formatCount(downloads) },
        { label: t('Files removed'), value: formatInstant(removedAt) },
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
  const { owner, transfer, note, maxDownloads, removedAt } = notice;
  const wording = wordingIn(owner.language);
  const { t, formatInstant } = wording;
  const name = nameOf(wording, transfer);
  const isExpired = removedAt !== undefined;
  const cause = isExpired
    ? t('Someone with the link wants to download {name}, which has expired.', { name })
    : t(
        'Someone with the link wants to download {name}, which has reached its limit of {count, plural, one {# download} other {# downloads}}.',
        { name, count: maxDownloads ?? 0 },
      );
  const advice = isExpired
    ? t('To reopen it, open the transfer and choose “Extend”. The link stays the same.')
    : t('To reopen it, open the transfer and raise the download limit. The link stays the same.');
  await enqueueToOwner(trx, notice, {
    kind: 'reopen-request',
    scope: 'reopen',
    subject: t('Someone asks you to reopen {name}', { name }),
    title: t('Someone still needs your files'),
    blocks: [
      { kind: 'text', text: cause },
      // Anyone with the link can write it, so it must not lead readers elsewhere.
      ...(note
        ? [
            {
              kind: 'quote' as const,
              text: removeLinks(note, t('[link removed]')),
              author: t('Someone with the link'),
            },
          ]
        : []),
      ...describeTransfer(
        wording,
        transfer,
        isExpired ? [{ label: t('Files removed'), value: formatInstant(removedAt) }] : [],
      ),
      { kind: 'text', text: advice },
    ],
  });
}

export async function enqueueSenderReminder(
  trx: Trx,
  notice: Notice & { waiting: string[]; downloads: number },
): Promise<void> {
  const { owner, transfer, waiting, downloads } = notice;
  const wording = wordingIn(owner.language);
  const { t, formatCount } = wording;
  const name = nameOf(wording, transfer);
  await enqueueToOwner(trx, notice, {
    kind: 'sender-reminder',
    scope: 'expiry',
    subject: t('Expires soon: {name}', { name }),
    title: t('Your transfer expires soon'),
    blocks: [
      {
        kind: 'text',
        text: t('{name} can be downloaded until {end}.', { name, end: formatEnd(wording, transfer) }),
      },
      ...listPeople(t('Not downloaded yet by'), waiting),
      ...describeTransfer(wording, transfer, [{ label: t('Downloads'), value: formatCount(downloads) }]),
      { kind: 'text', text: t('If someone needs more time, extend the expiry on the page of the transfer.') },
    ],
  });
}

export async function enqueueRecipientReminder(
  trx: Trx,
  notice: Notice & { recipient: RecipientRow },
): Promise<void> {
  const { owner, transfer, publicUrl, secret, now, recipient } = notice;
  const wording = wordingIn(owner.language);
  const { t, describeFiles } = wording;
  const end = formatEnd(wording, transfer);
  const unsubscribeToken = signUnsubscribe({ secret }, { email: recipient.email, scope: 'transfers' });
  // Emails of free accounts contain no links except our own, to prevent spam.
  const isTrusted = isTrustedSender(owner);
  const mark = t('[link removed]');
  const sender = toOneLine(isTrusted ? owner.name : removeLinks(owner.name, mark), NAME_LENGTH);
  const what = nameOf(wording, isTrusted ? transfer : removeLinksFromNames(transfer, mark));
  await enqueueMail(trx, {
    kind: 'recipient-reminder',
    recipient: recipient.email,
    replyTo: owner.email,
    subject: t('Still waiting for you: {what} from {sender}', { what, sender }),
    ...renderMail(wording, {
      preview: t('You can download until {end}.', { end }),
      title: t('These files are still waiting for you'),
      blocks: [
        {
          kind: 'text',
          text: t('{sender} ({email}) sent you {what}, which you have not downloaded yet.', {
            sender,
            email: owner.email,
            what,
          }),
        },
        {
          kind: 'facts',
          facts: [
            { label: t('Size'), value: describeFiles(transfer) },
            { label: t('Available until'), value: end },
          ],
        },
        { kind: 'button', label: t('Download'), url: recipientLink(publicUrl, transfer, recipient.token) },
      ],
      reason: t(
        'You received this email because {sender} ({email}) entered your address at Sendwell. It is the only reminder.',
        { sender, email: owner.email },
      ),
      unsubscribe: {
        label: t('Stop emails about transfers from Sendwell'),
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

const REASONS: Record<Composition['scope'], string> = {
  download: msg(
    'You received this email because emails about downloads are turned on in your settings: {settings}',
  ),
  view: msg('You received this email because emails about views are turned on in your settings: {settings}'),
  expiry: msg(
    'You received this email because emails about expiring transfers are turned on in your settings: {settings}',
  ),
  reopen: msg(
    'You received this email because emails about requests to reopen transfers are turned on in your settings: {settings}',
  ),
};

const WAYS_OUT: Record<Composition['scope'], string> = {
  download: msg('Stop emails about downloads'),
  view: msg('Stop emails about views'),
  expiry: msg('Stop emails about expiring transfers'),
  reopen: msg('Stop emails about requests to reopen transfers'),
};

async function enqueueToOwner(
  trx: Trx,
  { owner, transfer, publicUrl, secret, now, isRemoved }: Notice,
  { kind, scope, subject, title, blocks }: Composition,
): Promise<void> {
  const unsubscribeToken = signUnsubscribe({ secret }, { email: owner.email, scope, userId: owner.id });
  const wording = wordingIn(owner.language);
  const { t } = wording;
  await enqueueMail(trx, {
    kind,
    recipient: owner.email,
    subject,
    ...renderMail(wording, {
      preview: wording.describeFiles(transfer),
      title,
      blocks: [
        ...blocks,
        isRemoved
          ? { kind: 'button', label: t('See your transfers'), url: publicUrl + PAGES.dashboard }
          : { kind: 'button', label: t('See the transfer'), url: publicUrl + transferPath(transfer.id) },
      ],
      reason: t(REASONS[scope], { settings: publicUrl + PAGES.settingsNotifications }),
      unsubscribe: {
        label: t(WAYS_OUT[scope]),
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
  { t, formatDate, describeFiles }: Wording,
  transfer: Notice['transfer'],
  further: { label: string; value: string }[] = [],
): MailBlock[] {
  const facts = [
    { label: t('Sent'), value: formatDate(transfer.createdAt) },
    { label: t('Content'), value: describeFiles(transfer) },
    ...further,
  ];
  return [{ kind: 'facts', facts }];
}

function listPeople(label: string, emails: string[]): MailBlock[] {
  return emails.length === 0 ? [] : [{ kind: 'people', label, emails }];
}

const NAME_LENGTH = 60;
const TITLE_LENGTH = 80;

export function nameOf(wording: Wording, transfer: Notice['transfer']): string {
  return wording.t('“{title}”', { title: toOneLine(wording.nameTransfer(transfer), TITLE_LENGTH) });
}

/** Only transfers with an expiry are reminded of. */
function formatEnd({ formatInstant }: Wording, { expiresAt }: Notice['transfer']): string {
  return formatInstant(expiresAt!);
}
