import type { Db } from '../../db/open.ts';
import { transaction } from '../../db/transaction.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';

export type PartNote = { index: number; sizeBytes: number; crc32: number; etag: string };

/** `carriesCrc32`: S3 accepts its parts only with a CRC-32. */
export type MultipartNote = { multipartId: string; carriesCrc32: boolean };

/**
 * What S3 cannot report about a running upload. A note is saved after S3 has acknowledged the part. Notes
 * outlive `seal`, so that it can be repeated after a crash; a sweep deletes them later.
 */
export interface PartNotes {
  /** The first writer wins; returns the winner. */
  saveMultipart(storageKey: string, note: MultipartNote): Promise<MultipartNote>;
  findMultipart(storageKey: string): Promise<MultipartNote | undefined>;
  /** Does nothing if the multipart upload was replaced. */
  deleteMultipart(storageKey: string, multipartId: string): Promise<void>;
  savePart(storageKey: string, part: PartNote): Promise<void>;
  findPart(storageKey: string, index: number): Promise<PartNote | undefined>;
  /** In index order; up to 10,000. */
  listParts(storageKey: string): Promise<PartNote[]>;
  removePart(storageKey: string, index: number): Promise<void>;
  /** Binds a part to the CRC-32 its URL was signed for. The first writer wins; returns the winner. */
  bindPart(storageKey: string, index: number, crc32: number): Promise<number>;
  listBound(storageKey: string, indexes: number[]): Promise<Map<number, number>>;
  clear(storageKey: string): Promise<void>;
}

export function dbPartNotes(db: Db, clock: Clock = systemClock): PartNotes {
  return { ...multipartNotes(db, clock), ...partNotes(db), ...boundNotes(db) };
}

type MultipartCalls = 'saveMultipart' | 'findMultipart' | 'deleteMultipart' | 'clear';

function multipartNotes(db: Db, clock: Clock): Pick<PartNotes, MultipartCalls> {
  const findMultipart: PartNotes['findMultipart'] = async (storageKey) => {
    const row = await db
      .selectFrom('storageMultiparts')
      .select(['multipartId', 'carriesCrc32'])
      .where('storageKey', '=', storageKey)
      .executeTakeFirst();
    return row && { multipartId: row.multipartId, carriesCrc32: row.carriesCrc32 === 1 };
  };
  const deleteMultipartRows = (storageKey: string, multipartId?: string) =>
    transaction(db, async (trx) => {
      const gone = await trx
        .deleteFrom('storageMultiparts')
        .where('storageKey', '=', storageKey)
        .$if(multipartId !== undefined, (query) => query.where('multipartId', '=', multipartId!))
        .returning('storageKey')
        .executeTakeFirst();
      if (multipartId !== undefined && !gone) return;
      await trx.deleteFrom('storageParts').where('storageKey', '=', storageKey).execute();
      await trx.deleteFrom('storageDirectParts').where('storageKey', '=', storageKey).execute();
    });
  return {
    findMultipart,
    async saveMultipart(storageKey, note) {
      const { multipartId, carriesCrc32 } = note;
      await db
        .insertInto('storageMultiparts')
        .values({ storageKey, multipartId, carriesCrc32: carriesCrc32 ? 1 : 0, createdAt: clock.now() })
        .onConflict((conflict) => conflict.column('storageKey').doNothing())
        .execute();
      return (await findMultipart(storageKey)) ?? note;
    },
    deleteMultipart: (storageKey, multipartId) => deleteMultipartRows(storageKey, multipartId),
    clear: (storageKey) => deleteMultipartRows(storageKey),
  };
}

function partNotes(db: Db): Pick<PartNotes, 'savePart' | 'findPart' | 'listParts' | 'removePart'> {
  const selectParts = (storageKey: string) =>
    db
      .selectFrom('storageParts')
      .select(['partIndex as index', 'sizeBytes', 'crc32', 'etag'])
      .where('storageKey', '=', storageKey);
  return {
    async savePart(storageKey, { index, ...part }) {
      await db
        .insertInto('storageParts')
        .values({ storageKey, partIndex: index, ...part })
        .onConflict((conflict) => conflict.columns(['storageKey', 'partIndex']).doUpdateSet(part))
        .execute();
    },

    findPart: (storageKey, index) =>
      selectParts(storageKey).where('partIndex', '=', index).executeTakeFirst(),

    listParts: (storageKey) => selectParts(storageKey).orderBy('partIndex').execute(),

    async removePart(storageKey, index) {
      await db
        .deleteFrom('storageParts')
        .where('storageKey', '=', storageKey)
        .where('partIndex', '=', index)
        .execute();
    },
  };
}

function boundNotes(db: Db): Pick<PartNotes, 'bindPart' | 'listBound'> {
  const listBound: PartNotes['listBound'] = async (storageKey, indexes) => {
    if (indexes.length === 0) return new Map();
    const rows = await db
      .selectFrom('storageDirectParts')
      .select(['partIndex', 'crc32'])
      .where('storageKey', '=', storageKey)
      .where('partIndex', 'in', indexes)
      .execute();
    return new Map(rows.map(({ partIndex, crc32 }) => [partIndex, crc32]));
  };
  return {
    listBound,
    async bindPart(storageKey, index, crc32) {
      await db
        .insertInto('storageDirectParts')
        .values({ storageKey, partIndex: index, crc32 })
        .onConflict((conflict) => conflict.columns(['storageKey', 'partIndex']).doNothing())
        .execute();
      return (await listBound(storageKey, [index])).get(index) ?? crc32;
    },
  };
}

/** In order, after the given key ('' for the first). A few index lookups per key. */
export async function listKeysWithParts(db: Db, afterKey: string, limit: number): Promise<string[]> {
  const keys: string[] = [];
  for (let key: string | undefined = afterKey; keys.length < limit; keys.push(key)) {
    // `distinct` would read every row, and one blob has up to 10,000 parts.
    const next: { storageKey: string } | undefined = await db
      .selectFrom('storageParts')
      .select('storageKey')
      .where('storageKey', '>', key)
      .orderBy('storageKey')
      .limit(1)
      .executeTakeFirst();
    if (!next) break;
    key = next.storageKey;
  }
  return keys;
}

const PARTS_PER_STATEMENT = 1_000;

/**
 * Deletes in small statements; returns the number of parts. If interrupted, `listKeysWithParts` still lists
 * the key.
 */
export async function removePartNotes(db: Db, storageKey: string): Promise<number> {
  await db.deleteFrom('storageMultiparts').where('storageKey', '=', storageKey).execute();
  let removed = 0;
  for (const table of ['storageDirectParts', 'storageParts'] as const) {
    for (let isMore = true; isMore; ) {
      const { numDeletedRows } = await db
        .deleteFrom(table)
        .where('storageKey', '=', storageKey)
        .where('partIndex', 'in', (eb) =>
          eb
            .selectFrom(table)
            .select('partIndex')
            .where('storageKey', '=', storageKey)
            .orderBy('partIndex')
            .limit(PARTS_PER_STATEMENT),
        )
        .executeTakeFirstOrThrow();
      if (table === 'storageParts') removed += Number(numDeletedRows);
      isMore = Number(numDeletedRows) === PARTS_PER_STATEMENT;
    }
  }
  return removed;
}
