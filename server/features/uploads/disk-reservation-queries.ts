import type { Db, Trx } from '../../platform/db/open.ts';

/** There is one row: all uploads lie on one disk. */
const ID = 'uploads';

export type Reservation = { bytes: number; recounts: number };

/**
 * Adds bytes to what open uploads may still write, if all of that fits into the room; in one conditional statement,
 * so that parallel callers never exceed it. `recounts` is what the row said before the room was measured. `stale`:
 * it was recounted since. `full`: it does not fit, or there is no row yet.
 */
export async function addReservation(
  trx: Trx,
  { bytes, roomBytes, recounts }: { bytes: number; roomBytes: number; recounts: number | undefined },
): Promise<'added' | 'stale' | 'full'> {
  const row = await trx
    .updateTable('diskReservations')
    .set((eb) => ({ bytes: eb('bytes', '+', bytes) }))
    .where('id', '=', ID)
    .where('recounts', '=', recounts ?? -1)
    .where((eb) => eb(eb('bytes', '+', bytes), '<=', roomBytes))
    .returning('id')
    .executeTakeFirst();
  if (row) return 'added';
  const current = await findReservation(trx);
  return current?.recounts === recounts ? 'full' : 'stale';
}

/** Adds to what an open upload has received. */
export async function addReceived(trx: Trx, id: string, bytes: number): Promise<void> {
  await trx
    .updateTable('uploads')
    .set((eb) => ({
      receivedBytes: eb
        .case()
        .when(eb(eb('receivedBytes', '+', bytes), '>', eb.ref('sizeBytes')))
        .then(eb.ref('sizeBytes'))
        .else(eb('receivedBytes', '+', bytes))
        .end(),
    }))
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
}

/**
 * Sets the row to what open uploads may still write. The row is locked first: whoever has inserted uploads but not
 * yet added their bytes waits here and adds them to the new sum.
 */
export async function recountReservations(trx: Trx): Promise<void> {
  await trx
    .insertInto('diskReservations')
    .values({ id: ID, bytes: 0, recounts: 0 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ recounts: eb('diskReservations.recounts', '+', 1) })),
    )
    .execute();
  const bytes = await sumUnsent(trx);
  await trx.updateTable('diskReservations').set({ bytes }).where('id', '=', ID).execute();
}

/** The announced bytes of open uploads that have not arrived. */
async function sumUnsent(db: Db): Promise<number> {
  const { announced, received } = await db
    .selectFrom('uploads')
    .select(({ fn }) => [fn.sum('sizeBytes').as('announced'), fn.sum('receivedBytes').as('received')])
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return Number(announced ?? 0) - Number(received ?? 0);
}

/** What the row says; undefined before the first upload. */
export function findReservation(db: Db): Promise<Reservation | undefined> {
  return db
    .selectFrom('diskReservations')
    .select(['bytes', 'recounts'])
    .where('id', '=', ID)
    .executeTakeFirst();
}
