import { transferPath } from '../../../contracts/values/addresses/links.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type Wording, wordingIn } from '../../platform/mail/wording.ts';
import { type Notice, nameOf } from './emails.ts';
import { findSubject, notifyEach, type Page, toNotice } from './notices.ts';

/**
 * Notifies owners of infected and taken-down files, each file once. No setting turns this off, because nobody can
 * download such a transfer.
 */
export async function sendBlockedFileNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await notifyEach(context, run, {
    list: (page) => listUnreportedBlocked(context.db, page),
    notify: async (trx, transferId) => {
      const blocked = await claimUnreportedBlocked(trx, transferId, now);
      const subject = await findSubject(trx, transferId);
      if (blocked.length === 0 || !subject?.emailVerified) return;
      const { receivedFrom } = subject;
      await enqueueBlockedNotice(trx, { ...toNotice(context, subject, now), blocked, receivedFrom });
    },
  });
}

const BLOCKED = ['infected', 'blocked'] as const;
const FILES_PER_MAIL = 500;

async function listUnreportedBlocked(db: Db, { after, limit }: Page): Promise<string[]> {
  const rows = await db
    .selectFrom('heldFiles')
    .select('transferId')
    .distinct()
    .where('state', 'in', BLOCKED)
    .where('toldAt', 'is', null)
    .where('transferId', '>', after)
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Returns the files in order of position. */
async function claimUnreportedBlocked(trx: Trx, transferId: string, now: number): Promise<BlockedFile[]> {
  const claimed = await trx
    .updateTable('heldFiles')
    .set({ toldAt: now })
    .where('fileId', 'in', (eb) =>
      eb
        .selectFrom('heldFiles as unreported')
        .select('unreported.fileId')
        .where('unreported.transferId', '=', transferId)
        .where('unreported.state', 'in', BLOCKED)
        .where('unreported.toldAt', 'is', null)
        .limit(FILES_PER_MAIL),
    )
    .where('toldAt', 'is', null)
    .returning('fileId')
    .execute();
  const ids = claimed.map(({ fileId }) => fileId);
  if (ids.length === 0) return [];
  return await trx
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .select(['files.relativePath as name', 'files.sizeBytes', 'heldFiles.finding as signature'])
    .where('heldFiles.fileId', 'in', ids)
    .orderBy('files.position')
    .execute();
}

/** `signature` is the scanner's finding; null for files that an administrator took down. */
export type BlockedFile = { name: string; sizeBytes: number; signature: string | null };

export async function enqueueBlockedNotice(
  trx: Trx,
  notice: Notice & {
    blocked: BlockedFile[];
    /** The visitor who sent the files. */
    receivedFrom: string | null;
  },
): Promise<void> {
  const { owner, transfer, publicUrl, now, blocked } = notice;
  const wording = wordingIn(owner.language);
  const { t } = wording;
  const name = nameOf(wording, transfer);
  const count = blocked.length;
  const isInfected = blocked.some(({ signature }) => signature !== null);
  await enqueueMail(trx, {
    kind: 'blocked-notice',
    recipient: owner.email,
    subject: t(
      'Nobody can download {name}: {count, plural, one {a file is blocked} other {# files are blocked}}',
      { name, count },
    ),
    ...renderMail(wording, {
      preview: isInfected ? t('Malware was found in it.') : t('A file in it was blocked.'),
      title: t('Your transfer is blocked'),
      blocks: [
        {
          kind: 'text',
          text: joinSentences([
            describeCause(wording, { name, blocked }),
            t('Nobody can download anything from this transfer.'),
          ]),
        },
        listFiles(blocked),
        {
          kind: 'text',
          text: joinSentences([
            adviseOwner(wording, { sender: notice.receivedFrom, isInfected }),
            t('If you think this is a mistake, ask your administrator to release it.'),
          ]),
        },
        { kind: 'button', label: t('See the transfer'), url: publicUrl + transferPath(transfer.id) },
      ],
      reason: t('You received this email because one of your transfers at Sendwell is blocked.'),
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

function describeCause({ t }: Wording, { name, blocked }: { name: string; blocked: BlockedFile[] }): string {
  const found = blocked.map(({ signature }) => signature).filter((signature) => signature !== null);
  const count = blocked.length;
  if (found.length === 0)
    return t('An administrator has blocked {count, plural, one {a file} other {files}} of {name}.', {
      name,
      count,
    });
  const signatures = [...new Set(found)].slice(0, SIGNATURES_NAMED).join(', ');
  return t(
    'The virus scanner found malware in {count, plural, one {a file} other {files}} of {name}: {signatures}.',
    { name, count, signatures },
  );
}

function adviseOwner(
  { t }: Wording,
  { sender, isInfected }: { sender: string | null; isInfected: boolean },
): string {
  if (sender)
    return t('The files came from {sender}. Do not open them, and let the sender know.', { sender });
  return isInfected
    ? t(
        'Scan the computer that the file came from. Then delete this transfer and send the other files again.',
      )
    : t('You can delete this transfer and send the other files again.');
}

function listFiles(files: { name: string; sizeBytes: number }[]): MailBlock {
  return {
    kind: 'files',
    files: files.slice(0, FILES_NAMED).map(({ name, sizeBytes }) => ({ name, sizeBytes })),
    fileCount: files.length,
    totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

function joinSentences(sentences: (string | null)[]): string {
  return sentences.filter(Boolean).join(' ');
}

const SIGNATURES_NAMED = 5;
const FILES_NAMED = 20;
