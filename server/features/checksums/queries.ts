import type { Db, Trx } from '../../platform/db/open.ts';
import type { FileRow } from '../../platform/db/schema.ts';

export type UncheckedFile = Pick<FileRow, 'id' | 'crc32' | 'storageKey' | 'offset' | 'sizeBytes'>;

/** The next files of a ready transfer whose stored bytes nobody has looked at, in their order. */
export async function listUncheckedFiles(
  db: Db,
  transferId: string,
  limit: number,
): Promise<UncheckedFile[]> {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(['files.id', 'crc32', 'storageKey', 'offset', 'sizeBytes'])
    .where('transferId', '=', transferId)
    .where('status', '=', 'ready')
    .where('checkedAt', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** Ready transfers with such files. */
export async function listUncheckedTransfers(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select('transferId')
    .distinct()
    .where('checkedAt', 'is', null)
    .where('status', '=', 'ready')
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

type Verdict = Pick<FileRow, 'id' | 'sha256' | 'checkedAt' | 'damagedAt'>;

/** Returns false when the file has been judged already, or its transfer is being deleted with its bytes. */
export async function updateVerdict(trx: Trx, { id, ...verdict }: Verdict): Promise<boolean> {
  const row = await trx
    .updateTable('files')
    .set(verdict)
    .where('id', '=', id)
    .where('checkedAt', 'is', null)
    .where('transferId', 'in', (eb) => eb.selectFrom('transfers').select('id').where('status', '=', 'ready'))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns how many files were not known to be damaged before. */
export async function updateDamaged(
  db: Db,
  { storageKey, fileId }: { storageKey: string; fileId?: string },
  now: number,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ damagedAt: now, checkedAt: now })
    .where('storageKey', '=', storageKey)
    .where('sizeBytes', '>', 0)
    .where('damagedAt', 'is', null)
    .$if(fileId !== undefined, (query) => query.where('id', '=', fileId!))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
