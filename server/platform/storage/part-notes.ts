import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, systemClock } from '../lib/clock.ts';

/** A stored part (or whole small object): its length, CRC-32, and the name S3 gave to its bytes. */
export type PartNote = { index: number; sizeBytes: number; crc32: number; etag: string };

/**
 * What S3 cannot tell about a running upload, kept where it survives kill -9. A note is saved after S3 has
 * acknowledged the part; the notes of a blob live until it is removed, so `seal` can be repeated.
 */
export interface PartNotes {
  saveMultipart(storageKey: string, multipartId: string): Promise<void>;
  findMultipart(storageKey: string): Promise<string | undefined>;
  /** Replaces an earlier note of the same part. */
  savePart(storageKey: string, part: PartNote): Promise<void>;
  /** In index order. */
  listParts(storageKey: string): Promise<PartNote[]>;
  removePart(storageKey: string, index: number): Promise<void>;
  /** Forgets the multipart upload and all its parts. Idempotent. */
  clear(storageKey: string): Promise<void>;
}

/** Notes in the tables `storage_multiparts` and `storage_parts`. */
export function dbPartNotes(db: Db, clock: Clock = systemClock): PartNotes {
  return {
    async saveMultipart(storageKey, multipartId) {
      await db
        .insertInto('storageMultiparts')
        .values({ storageKey, multipartId, createdAt: clock.now() })
        .onConflict((conflict) => conflict.column('storageKey').doUpdateSet({ multipartId }))
        .execute();
    },

    async findMultipart(storageKey) {
      const row = await db
        .selectFrom('storageMultiparts')
        .select('multipartId')
        .where('storageKey', '=', storageKey)
        .executeTakeFirst();
      return row?.multipartId;
    },

    async savePart(storageKey, { index, ...part }) {
      await db
        .insertInto('storageParts')
        .values({ storageKey, partIndex: index, ...part })
        .onConflict((conflict) => conflict.columns(['storageKey', 'partIndex']).doUpdateSet(part))
        .execute();
    },

    async listParts(storageKey) {
      return db
        .selectFrom('storageParts')
        .select(['partIndex as index', 'sizeBytes', 'crc32', 'etag'])
        .where('storageKey', '=', storageKey)
        .orderBy('partIndex')
        .execute();
    },

    async removePart(storageKey, index) {
      await db
        .deleteFrom('storageParts')
        .where('storageKey', '=', storageKey)
        .where('partIndex', '=', index)
        .execute();
    },

    async clear(storageKey) {
      await transaction(db, async (trx) => {
        await trx.deleteFrom('storageParts').where('storageKey', '=', storageKey).execute();
        await trx.deleteFrom('storageMultiparts').where('storageKey', '=', storageKey).execute();
      });
    },
  };
}
