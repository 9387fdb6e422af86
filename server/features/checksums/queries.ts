import type { Db, Trx } from '../../platform/db/open.ts';
import type { FileRow } from '../../platform/db/schema.ts';
import { listDistinct } from '../../platform/db/walk.ts';

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
  const found: string[] = [];
  for (let after = ''; found.length < limit; ) {
    const ids = await listDistinct({ after, limit }, async (previous) => {
      const row = await db
        .selectFrom('files')
        .select('transferId')
        .where('checkedAt', 'is', null)
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
      .where('status', 'not in', ['draft', 'deleting'])
      .orderBy('id')
      .execute();
    found.push(...ready.map(({ id }) => id));
    after = ids.at(-1)!;
  }
  return found.slice(0, limit);
}

type Verdict = Pick<FileRow, 'id' | 'sha256' | 'checkedAt' | 'damagedAt'>;

/** Returns false when the file has been judged already, or its transfer is being deleted with its bytes. */
export async function updateVerdict(trx: Trx, { id, ...verdict }: Verdict): Promise<boolean> {
  const row = await trx
    .updateTable('files')
    .set(verdict)
    .where('id', '=', id)
    .where('checkedAt', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('transfers')
          .select('transfers.id')
          .whereRef('transfers.id', '=', 'files.transferId')
          .where('transfers.status', '=', 'ready'),
      ),
    )
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
