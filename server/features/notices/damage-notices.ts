import { DAMAGED_FILES_NAMED } from '../../../contracts/accounts/webhooks.ts';
import { transferPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { repeatInBatches } from '../../platform/db/queries/batches.ts';
import { listDistinct } from '../../platform/db/queries/walk.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type Wording, wordingIn } from '../../platform/mail/wording.ts';
import { recordTransferEvent } from '../transfers/index.ts';
import { type Notice, nameOf } from './emails.ts';
import { findSubject, notifyEach, type Page, toNotice } from './notices.ts';

/** Damage found within this time goes into one mail. */
const GATHER_MS = 15 * MINUTE_MS;
/** Minimum interval between two mails about the same transfer. */
const PAUSE_MS = DAY_MS;

const FILES_IN_MAIL = 20;

/**
 * Notifies owners and their webhooks of damaged files and how to repair them, each file once until it is repaired. No
 * setting turns this off, because data loss is at stake.
 */
export async function sendDamageNotices(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  await notifyEach(context, run, {
    list: (page) => listUnreportedDamage(context.db, page, { foundBefore: now - GATHER_MS }),
    notify: async (trx, transferId) => {
      if (!(await claimDamageNotice(trx, transferId, now))) return;
      const damage = await claimUnreportedDamage(trx, transferId, now);
      const subject = await findSubject(trx, transferId);
      if (damage.fileCount === 0 || !subject) return;
      const more = () => ({
        files: damage.files.map(({ id, name }) => ({ id, relativePath: name })),
        fileCount: damage.fileCount,
      });
      await recordTransferEvent(trx, transferId, { type: 'transfer.damaged', more, now });
      const isOver = subject.expiresAt !== null && subject.expiresAt <= now;
      if (isOver || !subject.emailVerified) return;
      const { receivedFrom } = subject;
      await enqueueDamageNotice(trx, { ...toNotice(context, subject, now), damage, receivedFrom });
    },
  });
}

/** Damage found after `foundBefore` waits, so that files found together go into one mail. */
async function listUnreportedDamage(
  db: Db,
  page: Page,
  { foundBefore }: { foundBefore: number },
): Promise<string[]> {
  return listDistinct(page, async (previous) => {
    let first = await findUnreportedDamage(db, previous);
    while (first && first.damagedAt! > foundBefore) first = await findUnreportedDamage(db, first.transferId);
    return first?.transferId;
  });
}

/**
 * The first damage of the next transfer. Reads one row of an index; with a condition on `damagedAt`, SQLite would read
 * all damaged files.
 */
function findUnreportedDamage(db: Db, previous: string) {
  return db
    .selectFrom('files')
    .select(['transferId', 'damagedAt'])
    .where('damagedAt', 'is not', null)
    .where('damageToldAt', 'is', null)
    .where('transferId', '>', previous)
    .orderBy('transferId')
    .orderBy('damagedAt')
    .limit(1)
    .executeTakeFirst();
}

/** Returns false within `PAUSE_MS` of the last notice, unless the clock was set back since. */
async function claimDamageNotice(trx: Trx, transferId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ damageNoticeAt: now })
    .where('id', '=', transferId)
    .where((eb) =>
      eb.or([
        eb('damageNoticeAt', 'is', null),
        eb('damageNoticeAt', '<=', now - PAUSE_MS),
        eb('damageNoticeAt', '>', now),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** `files`: at most `DAMAGED_FILES_NAMED` of them, by name. */
type Damage = { fileCount: number; totalBytes: number; files: NamedFile[] };
type NamedFile = { id: string; name: string; sizeBytes: number };

async function claimUnreportedDamage(trx: Trx, transferId: string, now: number): Promise<Damage> {
  const damage: Damage = { fileCount: 0, totalBytes: 0, files: [] };
  await repeatInBatches(async (limit) => {
    const rows = await trx
      .updateTable('files')
      .set({ damageToldAt: now })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('files')
          .select('id')
          .where('transferId', '=', transferId)
          .where('damagedAt', 'is not', null)
          .where('damageToldAt', 'is', null)
          .limit(limit),
      )
      .where('damageToldAt', 'is', null)
      .returning(['id', 'relativePath as name', 'sizeBytes'])
      .execute();
    damage.fileCount += rows.length;
    damage.totalBytes += rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    damage.files.push(...rows.slice(0, DAMAGED_FILES_NAMED - damage.files.length));
    return rows.length;
  });
  damage.files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return damage;
}

export async function enqueueDamageNotice(
  trx: Trx,
  notice: Notice & {
    damage: Damage;
    /** The visitor who sent the files. */
    receivedFrom: string | null;
  },
): Promise<void> {
  const { owner, transfer, publicUrl, now, damage, receivedFrom: sender } = notice;
  const wording = wordingIn(owner.language);
  const { t } = wording;
  const values = { name: nameOf(wording, transfer), count: damage.fileCount };
  await enqueueMail(trx, {
    kind: 'damage-notice',
    recipient: owner.email,
    subject: t('{count, plural, one {A damaged file} other {# files damaged}} in {name}', values),
    ...renderMail(wording, {
      preview: t(
        '{count, plural, one {It cannot be downloaded until you send it again.} other {They cannot be downloaded until you send them again.}}',
        values,
      ),
      title: t('{count, plural, one {A file is damaged} other {# files are damaged}}', values),
      blocks: [
        ...(transfer.encryption
          ? describeEncryptedDamage(wording, values)
          : describeDamage(wording, { ...values, damage })),
        ...(sender
          ? [{ kind: 'text' as const, text: t('If you have no copy, ask {sender} for it.', { sender }) }]
          : []),
        {
          kind: 'button',
          label: transfer.encryption ? t('See the transfer') : t('Repair the transfer'),
          url: publicUrl + transferPath(transfer.id),
        },
      ],
      reason: t('You received this email because some of your files at Sendwell are damaged.'),
    }),
    transferId: transfer.id,
    userId: owner.id,
    createdAt: now,
  });
}

type Named = { name: string; count: number };

function describeDamage({ t }: Wording, { damage, ...values }: Named & { damage: Damage }): MailBlock[] {
  return [
    {
      kind: 'text',
      text: t(
        '{count, plural, one {The server can no longer read a file of {name} as uploaded. Nobody can download it until it is repaired.} other {The server can no longer read # files of {name} as uploaded. Nobody can download them until they are repaired.}} All other files are fine.',
        values,
      ),
    },
    { kind: 'files', ...damage, files: damage.files.slice(0, FILES_IN_MAIL) },
    {
      kind: 'text',
      text: t(
        '{count, plural, one {To repair it, open the transfer, choose “Send again” next to the file and select the original.} other {To repair them, open the transfer, choose “Send again” next to the file and select the original.}} The link stays the same.',
        values,
      ),
    },
  ];
}

/** Lists no files, because the server does not know their names. */
function describeEncryptedDamage({ t }: Wording, values: Named): MailBlock[] {
  return [
    {
      kind: 'text',
      text: t(
        '{count, plural, one {The server can no longer read a file of {name} as uploaded, so nobody can download it.} other {The server can no longer read # files of {name} as uploaded, so nobody can download them.}} All other files are fine.',
        values,
      ),
    },
    {
      kind: 'text',
      text: t(
        '{count, plural, one {An encrypted file cannot be repaired. Open the transfer and add the original again.} other {Encrypted files cannot be repaired. Open the transfer and add the originals again.}} The link stays the same.',
        values,
      ),
    },
  ];
}
