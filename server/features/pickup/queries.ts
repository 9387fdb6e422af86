import type { Insertable } from 'kysely';
import type { Db } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import type { PickupCodesTable } from '../../platform/db/schema/transfers.ts';
import type { PickupCodeRow } from '../../platform/db/schema.ts';

type NewCode = Insertable<PickupCodesTable> & { userId: string; now: number };

/**
 * Replaces the code of the owner's transfer, in one statement. Returns false if the transfer has no code, because it is
 * gone, expired or encrypted. Throws a unique violation if another transfer has the same code.
 */
export async function writePickupCode(
  db: Db,
  { transferId, userId, codeHash, nonce, expiresAt, now }: NewCode,
): Promise<boolean> {
  const row = await db
    .insertInto('pickupCodes')
    .columns(['transferId', 'codeHash', 'nonce', 'expiresAt'])
    .expression(
      db
        .selectFrom('transfers')
        .select((eb) => [
          'transfers.id as transferId',
          eb.cast<string>(eb.val(codeHash), 'text').as('codeHash'),
          eb.cast<string>(eb.val(nonce), 'text').as('nonce'),
          eb.cast<number>(eb.val(expiresAt), 'bigint').as('expiresAt'),
        ])
        .where('transfers.id', '=', transferId)
        .where('transfers.userId', '=', userId)
        .where('transfers.status', 'in', PUBLIC_STATUSES)
        .where('transfers.encryption', 'is', null)
        .where((eb) => eb.or([eb('transfers.expiresAt', 'is', null), eb('transfers.expiresAt', '>', now)])),
    )
    .onConflict((conflict) => conflict.column('transferId').doUpdateSet({ codeHash, nonce, expiresAt }))
    .returning('transferId')
    .executeTakeFirst();
  return row !== undefined;
}

export function findPickupCode(db: Db, transferId: string, now: number): Promise<PickupCodeRow | undefined> {
  return db
    .selectFrom('pickupCodes')
    .selectAll()
    .where('transferId', '=', transferId)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function findTokenByCode(
  db: Db,
  codeHashes: string[],
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('pickupCodes')
    .innerJoin('transfers', 'transfers.id', 'pickupCodes.transferId')
    .select('transfers.token')
    .where('pickupCodes.codeHash', 'in', codeHashes)
    .where('pickupCodes.expiresAt', '>', now)
    .where('transfers.status', 'in', PUBLIC_STATUSES)
    .limit(1)
    .executeTakeFirst();
  return row?.token;
}

export async function removePickupCode(db: Db, transferId: string): Promise<void> {
  await db.deleteFrom('pickupCodes').where('transferId', '=', transferId).execute();
}

export async function deletePickupCodesBefore(db: Db, before: number): Promise<void> {
  await deleteInBatches(db, { table: 'pickupCodes', key: ['transferId'] }, (eb) =>
    eb('expiresAt', '<=', before),
  );
}
