import type { Db, Trx } from '../../platform/db/open.ts';

export type PackEnd = { storageKey: string; offset: number; firstSlot: number };

type Room = { transferId: string; sizeBytes: number; slots: number; maxBytes: number };

/**
 * Lengthens a pack of the transfer that still has room, in one conditional update, and returns where the new
 * room begins; undefined when none has room.
 */
export async function extendPack(trx: Trx, room: Room): Promise<PackEnd | undefined> {
  const roomy = room.maxBytes - room.sizeBytes;
  const row = await trx
    .updateTable('packs')
    .set((eb) => ({
      sizeBytes: eb('sizeBytes', '+', room.sizeBytes),
      slots: eb('slots', '+', room.slots),
    }))
    .where('sizeBytes', '<=', roomy)
    .where('storageKey', '=', (eb) =>
      eb
        .selectFrom('packs')
        .select('storageKey')
        .where('transferId', '=', room.transferId)
        .where('sizeBytes', '<=', roomy)
        .orderBy('storageKey')
        .limit(1),
    )
    .returning(['storageKey', 'sizeBytes', 'slots'])
    .executeTakeFirst();
  return (
    row && {
      storageKey: row.storageKey,
      offset: row.sizeBytes - room.sizeBytes,
      firstSlot: row.slots - room.slots,
    }
  );
}

export async function insertPack(
  trx: Trx,
  pack: { transferId: string; storageKey: string; sizeBytes: number; slots: number },
): Promise<void> {
  await trx.insertInto('packs').values(pack).execute();
}

export async function listPackKeys(db: Db, transferId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('packs')
    .select('storageKey')
    .where('transferId', '=', transferId)
    .execute();
  return rows.map(({ storageKey }) => storageKey);
}

export async function movePacks(trx: Trx, fromTransferId: string, toTransferId: string): Promise<void> {
  await trx
    .updateTable('packs')
    .set({ transferId: toTransferId })
    .where('transferId', '=', fromTransferId)
    .execute();
}
