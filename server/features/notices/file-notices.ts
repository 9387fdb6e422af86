import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { countOf } from '../../../contracts/values/format.ts';
import { transferPath } from '../../../contracts/values/links.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { recordTransferEvent } from '../transfers/index.ts';
import { type Notice, nameOf } from './emails.ts';
import { findSubject, notifyEach, type Page, toNotice } from './notices.ts';

/** Damage found within this time goes into one mail. */
const GATHER_MS = 15 * MINUTE_MS;
/** Minimum interval between two mails about the same transfer. */
const PAUSE_MS = DAY_MS;

/**
 * Notifies owners and their webhooks of damaged files and how to repair them, each file once until it is repaired. No
 * setting turns this off, because data loss is at stake.
 */
export async function sendDamageNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  const due = { foundBefore: now - GATHER_MS, reportedBefore: now - PAUSE_MS };
  await notifyEach(context, run, {
    list: (page) => listUnreportedDamage(context.db, page, due),
    notify: async (trx, transferId) => {
      const files = await claimUnreportedDamage(trx, transferId, now);
      const subject = await findSubject(trx, transferId);
      if (files.length === 0 || !subject) return;
      const more = () => ({ files: files.map(({ id, name }) => ({ id, relativePath: name })) });
      await recordTransferEvent(trx, transferId, { type: 'transfer.damaged', more, now });
      const isOver = subject.expiresAt !== null && subject.expiresAt <= now;
      if (isOver || !subject.emailVerified) return;
      const { receivedFrom } = subject;
      await enqueueDamageNotice(trx, { ...toNotice(context, subject, now), damaged: files, receivedFrom });
    },
  });
}

type Due = {
  /** Damage found later waits, so that files found together go into one mail. */
  foundBefore: number;
  /** A transfer with a later damage notice waits, too. */
  reportedBefore: number;
};

async function listUnreportedDamage(db: Db, { after, limit }: Page, due: Due): Promise<string[]> {
  const rows = await db
    .selectFrom('files')
    .select('transferId')
    .distinct()
    .where('damagedAt', 'is not', null)
    .where('damageToldAt', 'is', null)
    .where('damagedAt', '<=', due.foundBefore)
    .where('transferId', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('files as reported')
            .select('reported.id')
            .whereRef('reported.transferId', '=', 'files.transferId')
            .where('reported.damagedAt', '>', 0)
            .where('reported.damageToldAt', '>', due.reportedBefore),
        ),
      ),
    )
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Returns the files by name. */
async function claimUnreportedDamage(
  trx: Trx,
  transferId: string,
  now: number,
): Promise<{ id: string; name: string; sizeBytes: number }[]> {
  const rows = await trx
    .updateTable('files')
    .set({ damageToldAt: now })
    .where('transferId', '=', transferId)
    .where('damagedAt', 'is not', null)
    .where('damageToldAt', 'is', null)
    .returning(['id', 'relativePath as name', 'sizeBytes'])
    .execute();
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

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
            `To repair ${isOne ? 'it' : 'them'}, open the transfer, choose “Send again” next to the file and ` +
            `select the original. The link stays the same.${source}`,
        },
        { kind: 'button', label: 'Repair the transfer', url: publicUrl + transferPath(transfer.id) },
      ],
      reason: 'You received this email because some of your files at Sendwell are damaged.',
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

/** `signature` is the scanner's finding; null for files that an administrator took down. */
export type BlockedFile = { name: string; sizeBytes: number; signature: string | null };

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
    ? `The files came from ${receivedFrom}. Do not open them, and let the sender know.`
    : infected.length > 0
      ? 'Scan the computer that the file came from. Then delete this transfer and send the other files again.'
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
      reason: 'You received this email because one of your transfers at Sendwell is blocked.',
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

const SIGNATURES_NAMED = 5;

const DAMAGED_NAMED = 20;
