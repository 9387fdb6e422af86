import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, TransferRow, UserRow } from '../../platform/db/schema.ts';
import type { ReceiptFile } from './emails.ts';

/** When a delivery arrived whose visitor still waits for a receipt; undefined when nobody does. */
export async function findAwaitedReceipt(
  db: Db,
  transferId: string,
): Promise<{ readyAt: Instant } | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('receivedFrom', 'is not', null)
    .where('receiptSentAt', 'is', null)
    .executeTakeFirst();
  return row && { readyAt: row.readyAt ?? 0 };
}

export async function existsUncheckedFile(db: Db, transferId: string): Promise<boolean> {
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('transferId', '=', transferId)
    .where('checkedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return file !== undefined;
}

/** Of all who try exactly one gets the delivery; undefined also when it is being deleted. */
export async function claimReceipt(
  trx: Trx,
  transferId: string,
  now: Instant,
): Promise<TransferRow | undefined> {
  return trx
    .updateTable('transfers')
    .set({ receiptSentAt: now })
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('receivedFrom', 'is not', null)
    .where('receiptSentAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** The first files of a delivery, in the visitor's order. */
export async function listReceiptFiles(trx: Trx, transferId: string, limit: number): Promise<ReceiptFile[]> {
  const rows = await trx
    .selectFrom('files')
    .select(['relativePath', 'sizeBytes', 'sha256', 'damagedAt'])
    .where('transferId', '=', transferId)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ relativePath, sizeBytes, sha256, damagedAt }) => ({
    path: relativePath,
    sizeBytes,
    sha256: damagedAt === null ? sha256 : null,
    isDamaged: damagedAt !== null,
  }));
}

export async function countDamagedFiles(trx: Trx, transferId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('files')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('transferId', '=', transferId)
    .where('damagedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function selectOwner(
  trx: Trx,
  userId: string,
): Promise<Pick<UserRow, 'id' | 'name' | 'email'> | undefined> {
  return trx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}
