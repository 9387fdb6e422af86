import type { Db, Trx } from '../../platform/db/open.ts';
import { listDistinct } from '../../platform/db/queries/walk.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { FileRow, TransferRow } from '../../platform/db/schema.ts';

export const VERIFIED_COLUMNS = [
  'id',
  'storageKey',
  'offset',
  'sizeBytes',
  'crc32',
  'sha256',
  'checkedAt',
  'suspectedAt',
  'damagedAt',
] as const satisfies (keyof FileRow)[];

export type VerifiedFile = Pick<FileRow, (typeof VERIFIED_COLUMNS)[number]>;

/** With files that no longer change: `earlier` rows hold those of earlier versions. */
const READ_STATUSES = ['ready', 'earlier'] as const satisfies TransferRow['status'][];

/** Leaves out suspected files: the scrub reads them a second time. */
export async function listUncheckedFiles(db: Db, transferId: string, limit: number): Promise<VerifiedFile[]> {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(VERIFIED_COLUMNS.map((column) => `files.${column}` as const))
    .where('transferId', '=', transferId)
    .where('status', 'in', READ_STATUSES)
    .where('checkedAt', 'is', null)
    .where('suspectedAt', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute();
}

export async function listUncheckedTransfers(db: Db, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let after = ''; found.length < limit; ) {
    const ids = await listDistinct({ after, limit }, async (previous) => {
      const row = await db
        .selectFrom('files')
        .select('transferId')
        .where('checkedAt', 'is', null)
        .where('suspectedAt', 'is', null)
        .where('transferId', '>', previous)
        .orderBy('transferId')
        .limit(1)
        .executeTakeFirst();
      return row?.transferId;
    });
    if (ids.length === 0) break;
    const ready = await db
      .selectFrom('transfers')
      .select('id')
      .where('id', 'in', ids)
      .where('status', 'not in', ['draft', 'arriving', 'deleting'])
      .orderBy('id')
      .execute();
    found.push(...ready.map(({ id }) => id));
    after = ids.at(-1)!;
  }
  return found.slice(0, limit);
}

type Due = { now: Instant; limit: number };

export async function listDueFiles(db: Db, { now, limit }: Due): Promise<VerifiedFile[]> {
  return await selectDue(db, { now, limit }).execute();
}

export async function listDoubtfulFiles(db: Db, due: Due): Promise<VerifiedFile[]> {
  const suspected = await selectDue(db, due).where('suspectedAt', 'is not', null).execute();
  const limit = due.limit - suspected.length;
  if (limit <= 0) return suspected;
  const damaged = selectDue(db, { ...due, limit }).where('damagedAt', 'is not', null);
  return [...suspected, ...(await damaged.execute())];
}

function selectDue(db: Db, { now, limit }: Due) {
  return db
    .selectFrom('files')
    .select(VERIFIED_COLUMNS)
    .where('verifyAt', '<=', now)
    .orderBy('verifyAt')
    .limit(limit);
}

/** Returns undefined if the file's transfer is being deleted. */
export async function findVerifiedFile(db: Db, fileId: string): Promise<VerifiedFile | undefined> {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(VERIFIED_COLUMNS.map((column) => `files.${column}` as const))
    .where('files.id', '=', fileId)
    .where('status', 'in', READ_STATUSES)
    .executeTakeFirst();
}

export type Verdict = Partial<
  Pick<
    FileRow,
    'sha256' | 'checkedAt' | 'verifiedAt' | 'suspectedAt' | 'damagedAt' | 'damageToldAt' | 'verifyAt'
  >
>;

/** Returns false if the file was judged or moved meanwhile, or if its transfer is being deleted. */
export async function updateVerdict(trx: Trx, file: VerifiedFile, verdict: Verdict): Promise<boolean> {
  const row = await trx
    .updateTable('files')
    .set(verdict)
    .where('id', '=', file.id)
    .where('storageKey', '=', file.storageKey)
    .where('offset', '=', file.offset)
    .where('checkedAt', 'is not distinct from', file.checkedAt)
    .where('suspectedAt', 'is not distinct from', file.suspectedAt)
    .where('damagedAt', 'is not distinct from', file.damagedAt)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('transfers')
          .select('transfers.id')
          .whereRef('transfers.id', '=', 'files.transferId')
          .where('transfers.status', '!=', 'deleting'),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function postponeVerification(
  db: Db,
  fileId: string,
  { now, verifyAt }: { now: Instant; verifyAt: Instant },
): Promise<void> {
  await db
    .updateTable('files')
    .set({ verifyAt })
    .where('id', '=', fileId)
    .where('verifyAt', '<=', now)
    .execute();
}

export async function findEarliestDue(db: Db): Promise<Instant | undefined> {
  const row = await db.selectFrom('files').select('verifyAt').orderBy('verifyAt').limit(1).executeTakeFirst();
  return row?.verifyAt;
}

export async function countDamagedFiles(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('files')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('damagedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
