import type { Db, Trx } from '../../platform/db/open.ts';
import type { FateRow } from '../../platform/db/schema.ts';

/** A few statements of bounded size, however many there are. */
const ROWS_PER_INSERT = 500;

export async function insertFates(trx: Trx, rows: FateRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await trx
      .insertInto('fates')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
}

/** Of a transfer itself, without its uploads'; the latest first. */
export function listFatesOfTransfer(db: Db, transferId: string, limit: number): Promise<FateRow[]> {
  return db
    .selectFrom('fates')
    .selectAll()
    .where('transferId', '=', transferId)
    .where('kind', '=', 'transfer')
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function listFatesOfUpload(db: Db, uploadId: string, limit: number): Promise<FateRow[]> {
  return db
    .selectFrom('fates')
    .selectAll()
    .where('uploadId', '=', uploadId)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function findTransferOfTokenHash(db: Db, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('fates')
    .select('transferId')
    .where('tokenHash', '=', tokenHash)
    .limit(1)
    .executeTakeFirst();
  return row?.transferId;
}
