import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type {
  ImportedBlobsTable,
  ImportedItemsTable,
  ImportsTable,
} from '../../platform/db/schema/imports.ts';

export type ImportRow = Selectable<ImportsTable>;
export type ItemRow = Selectable<ImportedItemsTable>;
export type StagedBlob = Selectable<ImportedBlobsTable>;

/** Of parallel callers, all get the same row. */
export async function insertOrFindImport(db: Db, row: ImportRow): Promise<ImportRow> {
  await db
    .insertInto('imports')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await findImport(db, row.name))!;
}

export function findImport(db: Db, name: string): Promise<ImportRow | undefined> {
  return db.selectFrom('imports').selectAll().where('name', '=', name).executeTakeFirst();
}

export function listImports(db: Db): Promise<ImportRow[]> {
  return db.selectFrom('imports').selectAll().orderBy('createdAt').orderBy('id').execute();
}

/** Items and staged blobs must be deleted first. */
export async function deleteImport(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('imports').where('id', '=', id).execute();
}

export async function insertItem(trx: Trx, item: Insertable<ImportedItemsTable>): Promise<void> {
  await trx.insertInto('importedItems').values(item).execute();
}

type ItemKey = Pick<ItemRow, 'importId' | 'kind' | 'sourceId'>;

export function findItem(db: Db, { importId, kind, sourceId }: ItemKey): Promise<ItemRow | undefined> {
  return db
    .selectFrom('importedItems')
    .selectAll()
    .where('importId', '=', importId)
    .where('kind', '=', kind)
    .where('sourceId', '=', sourceId)
    .executeTakeFirst();
}

export function listItems(
  db: Db,
  { importId, kind, after, limit }: Omit<ItemKey, 'sourceId'> & { after: string; limit: number },
): Promise<ItemRow[]> {
  return db
    .selectFrom('importedItems')
    .selectAll()
    .where('importId', '=', importId)
    .where('kind', '=', kind)
    .where('sourceId', '>', after)
    .orderBy('sourceId')
    .limit(limit)
    .execute();
}

export async function deleteItem(trx: Trx, { importId, kind, sourceId }: ItemKey): Promise<void> {
  await trx
    .deleteFrom('importedItems')
    .where('importId', '=', importId)
    .where('kind', '=', kind)
    .where('sourceId', '=', sourceId)
    .execute();
}

const IDS_PER_STATEMENT = 500;

/** Of these files, the blobs that an interrupted run has stored. */
export async function findStagedBlobs(
  db: Db,
  { importId, sourceIds }: { importId: string; sourceIds: string[] },
): Promise<Map<string, StagedBlob>> {
  const found = new Map<string, StagedBlob>();
  for (let start = 0; start < sourceIds.length; start += IDS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('importedBlobs')
      .selectAll()
      .where('importId', '=', importId)
      .where('sourceId', 'in', sourceIds.slice(start, start + IDS_PER_STATEMENT))
      .execute();
    for (const row of rows) found.set(row.sourceId, row);
  }
  return found;
}

/** The blobs must be durable. Returns the keys of those that another run has stored first; the caller removes them. */
export async function insertStagedBlobs(db: Db, blobs: StagedBlob[]): Promise<string[]> {
  if (blobs.length === 0) return [];
  const rows = await db
    .insertInto('importedBlobs')
    .values(blobs)
    .onConflict((conflict) => conflict.columns(['importId', 'sourceId']).doNothing())
    .returning('storageKey')
    .execute();
  const inserted = new Set(rows.map(({ storageKey }) => storageKey));
  return blobs.map(({ storageKey }) => storageKey).filter((key) => !inserted.has(key));
}

export function listStagedBlobs(
  db: Db,
  { importId, limit }: { importId: string; limit: number },
): Promise<StagedBlob[]> {
  return db
    .selectFrom('importedBlobs')
    .selectAll()
    .where('importId', '=', importId)
    .orderBy('sourceId')
    .limit(limit)
    .execute();
}

/** Returns the storage keys of those that were staged. Only one caller gets each of them. */
export async function deleteStagedBlobs(
  trx: Trx,
  { importId, sourceIds }: { importId: string; sourceIds: string[] },
): Promise<string[]> {
  const keys: string[] = [];
  for (let start = 0; start < sourceIds.length; start += IDS_PER_STATEMENT) {
    const rows = await trx
      .deleteFrom('importedBlobs')
      .where('importId', '=', importId)
      .where('sourceId', 'in', sourceIds.slice(start, start + IDS_PER_STATEMENT))
      .returning('storageKey')
      .execute();
    keys.push(...rows.map(({ storageKey }) => storageKey));
  }
  return keys;
}
