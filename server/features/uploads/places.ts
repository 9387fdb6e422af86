import type { ChunkPlan } from '../../../contracts/plans/limits.ts';
import { GIB } from '../../../contracts/values/sizes.ts';
import type { Trx } from '../../platform/db/open.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import type { BlobStore, Place } from '../../platform/storage/blob-store.ts';
import { extendPack, insertPack, type PackEnd } from './pack-queries.ts';

const MAX_PACK_BYTES = 4 * GIB;
const PREPARED_AT_ONCE = 16;

/** A file's size in bytes and how it is cut. */
export type SizedPlan = ChunkPlan & { sizeBytes: number };

/** Where an upload lies, as its row says. */
export function placeOf(row: Place): Place {
  const { storageKey, offset, sizeBytes, firstSlot, chunkSize, chunkCount } = row;
  return { storageKey, offset, sizeBytes, firstSlot, chunkSize, chunkCount };
}

/**
 * A place for each file, in their order. Files of one chunk lie one behind another in the transfer's pack
 * where the store packs; every other file has a blob of its own. (An empty file has a key, but never a blob.)
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

/** Makes room in the store; idempotent, so a crash before it is healed by the first chunk. */
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
