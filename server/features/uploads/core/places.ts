import type { ChunkPlan } from '../../../../contracts/plans/limits.ts';
import { GIB } from '../../../../contracts/values/sizes.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import type { BlobStore, Place } from '../../../platform/storage/blob-store.ts';

const MAX_PACK_BYTES = 4 * GIB;
const PREPARED_AT_ONCE = 16;

export type SizedPlan = ChunkPlan & { sizeBytes: number };

export function placeOf(row: Place): Place {
  const { storageKey, offset, sizeBytes, firstSlot, chunkSize, chunkCount } = row;
  return { storageKey, offset, sizeBytes, firstSlot, chunkSize, chunkCount };
}

/**
 * Allocates a place for each file, in order. With `packs`, files of one chunk are placed in the transfer's pack; all
 * others get their own blob. An empty file has a key but no blob.
 */
export async function allocatePlaces(
  trx: Trx,
  { transferId, plans, packs }: { transferId: string; plans: SizedPlan[]; packs: boolean },
): Promise<Place[]> {
  const places = plans.map(placeAlone);
  const small = packs ? places.filter((place) => place.chunkCount === 1) : [];
  for (const group of groupsUpTo(MAX_PACK_BYTES, small)) {
    const sizeBytes = group.reduce((sum, place) => sum + place.sizeBytes, 0);
    layOut(group, await allocateInPack(trx, { transferId, sizeBytes, slots: group.length }));
  }
  return places;
}

/** Idempotent: the first chunk repeats it after a crash. */
export async function preparePlaces(blobs: BlobStore, places: Place[]): Promise<void> {
  const byKey = new Map(
    places.filter((place) => place.chunkCount > 0).map((place) => [place.storageKey, place]),
  );
  const waiting = byKey.values();
  const prepareNext = async () => {
    for (const place of waiting) await blobs.prepare(place);
  };
  await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepareNext));
}

function placeAlone({ sizeBytes, chunkSize, totalChunks }: SizedPlan): Place {
  return { storageKey: randomId(), offset: 0, sizeBytes, firstSlot: 0, chunkSize, chunkCount: totalChunks };
}

async function allocateInPack(
  trx: Trx,
  room: { transferId: string; sizeBytes: number; slots: number },
): Promise<PackEnd> {
  const end = await extendPack(trx, { ...room, maxBytes: MAX_PACK_BYTES });
  if (end) return end;
  const storageKey = randomId();
  await insertPack(trx, { ...room, storageKey });
  return { storageKey, offset: 0, firstSlot: 0 };
}

function layOut(group: Place[], start: PackEnd): void {
  let { offset } = start;
  for (const [index, place] of group.entries()) {
    Object.assign(place, { storageKey: start.storageKey, offset, firstSlot: start.firstSlot + index });
    offset += place.sizeBytes;
  }
}

function groupsUpTo(maxBytes: number, places: Place[]): Place[][] {
  const groups: Place[][] = [];
  let bytes = 0;
  for (const place of places) {
    if (groups.length === 0 || bytes + place.sizeBytes > maxBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)!.push(place);
    bytes += place.sizeBytes;
  }
  return groups;
}

type PackEnd = { storageKey: string; offset: number; firstSlot: number };

type Room = { transferId: string; sizeBytes: number; slots: number; maxBytes: number };

async function extendPack(trx: Trx, room: Room): Promise<PackEnd | undefined> {
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

async function insertPack(
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
