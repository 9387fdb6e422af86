import type { Db, Trx } from '../../../platform/db/open.ts';
import type { UploadRow } from '../../../platform/db/schema.ts';

type Page = { afterId: string; limit: number };

export async function listIdleUploads(
  db: Db,
  { idleSince, afterId, limit }: Page & { idleSince: number },
): Promise<Pick<UploadRow, 'id' | 'userId' | 'visitorKey' | 'transferId' | 'sizeBytes' | 'chunkCount'>[]> {
  return (
    db
      .selectFrom('uploads')
      .select(['id', 'userId', 'visitorKey', 'transferId', 'sizeBytes', 'chunkCount'])
      .where('state', '=', 'open')
      .where('lastActivityAt', '<', idleSince)
      .where('id', '>', afterId)
      // Their links work, or did until recently, so they get more time.
      .where('transferId', 'not in', (eb) =>
        eb
          .selectFrom('transfers')
          .select('transfers.id')
          .where('status', 'in', ['draft', 'arriving'])
          .where((of) => of.or([of('status', '=', 'arriving'), of('arrivalStoppedAt', '>=', idleSince)])),
      )
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

export async function listIdleDrafts(
  db: Db,
  { idleSince, afterId, limit }: Page & { idleSince: number },
): Promise<{ id: string; userId: string; fileCount: number }[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'userId', 'fileCount'])
    .where('status', '=', 'draft')
    .where('createdAt', '<', idleSince)
    .where((eb) => eb.or([eb('arrivalStoppedAt', 'is', null), eb('arrivalStoppedAt', '<', idleSince)]))
    .where('id', '>', afterId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads')
            .select('uploads.id')
            .whereRef('uploads.transferId', '=', 'transfers.id')
            .where('uploads.lastActivityAt', '>=', idleSince),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function listUninvitedDrafts(db: Db, { afterId, limit }: Page): Promise<{ id: string }[]> {
  return db
    .selectFrom('transfers')
    .select('id')
    .where('status', '=', 'draft')
    .where('visitorKey', 'is not', null)
    .where('invitationId', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Check again in the transaction that removes the draft. */
export async function isIdleDraft(trx: Trx, transferId: string, idleSince: number): Promise<boolean> {
  const active = await trx
    .selectFrom('uploads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('lastActivityAt', '>=', idleSince)
    .limit(1)
    .executeTakeFirst();
  return active === undefined;
}

export async function findNamedKeys(db: Db, keys: string[]): Promise<Set<string>> {
  const ofTable = (table: 'files' | 'uploads' | 'packs' | 'sealedDocuments' | 'importedBlobs') =>
    db.selectFrom(table).select('storageKey').where('storageKey', 'in', keys);
  const rows = await ofTable('files')
    .union(ofTable('uploads'))
    .union(ofTable('packs'))
    .union(ofTable('sealedDocuments'))
    .union(ofTable('importedBlobs'))
    .union(selectPictureKeys(db, keys))
    .union(
      db
        .selectFrom('ads')
        .select('storageKey')
        .where('storageKey', 'in', keys)
        .$narrowType<{ storageKey: string }>(),
    )
    .execute();
  return new Set(rows.map(({ storageKey }) => storageKey));
}

/**
 * Returns the keys whose blob has been complete since an instant: a row written only after sealing names it, and no
 * newer upload stores it.
 */
export async function findCompleteKeys(db: Db, keys: string[], completeSince: number): Promise<string[]> {
  const complete = await db
    .selectFrom('files')
    .select('storageKey')
    .where('storageKey', 'in', keys)
    .where('uploadedAt', '<', completeSince)
    .union(selectPictureKeys(db, keys))
    .execute();
  const busy = await db
    .selectFrom('uploads')
    .select('storageKey')
    .where('storageKey', 'in', keys)
    .where('state', '=', 'open')
    .union(
      db
        .selectFrom('storageMultiparts')
        .select('storageKey')
        .where('storageKey', 'in', keys)
        .where('createdAt', '>=', completeSince),
    )
    .execute();
  const busyKeys = new Set(busy.map(({ storageKey }) => storageKey));
  return complete.map(({ storageKey }) => storageKey).filter((key) => !busyKeys.has(key));
}

function selectPictureKeys(db: Db, keys: string[]) {
  return db
    .selectFrom('fileThumbnails')
    .select('storageKey')
    .where('storageKey', 'in', keys)
    .union(
      db
        .selectFrom('fileThumbnails')
        .select('previewStorageKey as storageKey')
        .where('previewStorageKey', 'in', keys)
        .$narrowType<{ storageKey: string }>(),
    )
    .union(
      db
        .selectFrom('users')
        .select('backgroundStorageKey as storageKey')
        .where('backgroundStorageKey', 'in', keys)
        .$narrowType<{ storageKey: string }>(),
    );
}
