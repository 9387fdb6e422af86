import type { Insertable } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import { prepare } from '../../../platform/db/queries/prepared.ts';
import type { FilesTable } from '../../../platform/db/schema/transfers.ts';
import type { TransferRow, UploadRow, UserRow } from '../../../platform/db/schema.ts';
import type { Scope } from './uploader.ts';

/** A fixed number, so that the prepared statement is reused. */
const ROWS_PER_INSERT = 100;
const IDS_PER_STATEMENT = 500;

export type ChunkTarget = Pick<
  UploadRow,
  | 'id'
  | 'state'
  | 'sizeBytes'
  | 'chunkSize'
  | 'chunkCount'
  | 'storageKey'
  | 'offset'
  | 'firstSlot'
  | 'lastActivityAt'
>;

const selectChunkTarget = prepare((db: Db, uploadId: string, userId: string, visitorKey: string | null) =>
  db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select([
      'uploads.id',
      'uploads.state',
      'uploads.sizeBytes',
      'uploads.chunkSize',
      'uploads.chunkCount',
      'uploads.storageKey',
      'uploads.offset',
      'uploads.firstSlot',
      'uploads.lastActivityAt',
    ])
    .where('uploads.id', '=', uploadId)
    .where('uploads.userId', '=', userId)
    .where('uploads.visitorKey', 'is not distinct from', visitorKey)
    .where('transfers.status', '!=', 'deleting'),
);

/** Runs once per chunk. */
export async function findChunkTarget(
  db: Db,
  { userId, visitorKey }: Scope,
  uploadId: string,
): Promise<ChunkTarget | undefined> {
  const [target] = await selectChunkTarget(db, uploadId, userId, visitorKey);
  return target;
}

export function findUploadOf(
  trx: Trx,
  {
    userId,
    visitorKey,
    transferId,
    uploadId,
  }: Pick<UploadRow, 'userId' | 'visitorKey' | 'transferId'> & { uploadId: string },
): Promise<UploadRow | undefined> {
  return trx
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', uploadId)
    .where('transferId', '=', transferId)
    .where('userId', '=', userId)
    .where('visitorKey', 'is not distinct from', visitorKey)
    .executeTakeFirst();
}

export async function insertUploads(trx: Trx, rows: UploadRow[]): Promise<void> {
  for (const batch of inBatches(rows, ROWS_PER_INSERT))
    await trx.insertInto('uploads').values(batch).execute();
}

export async function insertFiles(trx: Trx, rows: Insertable<FilesTable>[]): Promise<void> {
  for (const batch of inBatches(rows, ROWS_PER_INSERT)) await trx.insertInto('files').values(batch).execute();
}

export async function selectOwnUploads(
  db: Db,
  { userId, visitorKey }: Scope,
  ids: string[],
): Promise<UploadRow[]> {
  const found: UploadRow[] = [];
  for (const batch of inBatches(ids, IDS_PER_STATEMENT)) {
    const rows = await db
      .selectFrom('uploads')
      .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
      .selectAll('uploads')
      .where('uploads.id', 'in', batch)
      .where('uploads.userId', '=', userId)
      .where('uploads.visitorKey', 'is not distinct from', visitorKey)
      .where('transfers.status', '!=', 'deleting')
      .execute();
    found.push(...rows);
  }
  return found;
}

export type OpenUpload = UploadRow & {
  transferStatus: TransferRow['status'];
  transferToken: TransferRow['token'];
  transferTitle: TransferRow['title'];
  transferFileCount: TransferRow['fileCount'];
  firstFileName: string | null;
  encryption: TransferRow['encryption'];
  transferCreatedAt: TransferRow['createdAt'];
};

export type UploadPlace = Pick<UploadRow, 'id' | 'createdAt' | 'position'>;

export async function listOpenUploads(
  db: Db,
  { userId, visitorKey }: Scope,
  { after, limit }: { after: UploadPlace | undefined; limit: number },
): Promise<OpenUpload[]> {
  return (
    db
      .selectFrom('uploads')
      .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
      .selectAll('uploads')
      .select([
        'transfers.status as transferStatus',
        'transfers.token as transferToken',
        'transfers.title as transferTitle',
        'transfers.fileCount as transferFileCount',
        firstFileName,
        'transfers.encryption',
        'transfers.createdAt as transferCreatedAt',
      ])
      .where('uploads.userId', '=', userId)
      .where('uploads.visitorKey', 'is not distinct from', visitorKey)
      .where('uploads.state', '=', 'open')
      .where('transfers.status', '!=', 'deleting')
      // An update continues on the page of its transfer, which lists them itself.
      .where('transfers.updatesTransferId', 'is', null)
      .$if(after !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('uploads.createdAt', 'uploads.position', 'uploads.id'),
            '>',
            tuple(after!.createdAt, after!.position, after!.id),
          ),
        ),
      )
      .orderBy('uploads.createdAt')
      .orderBy('uploads.position')
      .orderBy('uploads.id')
      .limit(limit)
      .execute()
  );
}

type UploadsToClose = { scope: Scope; transferId: string; ids: string[]; now: number };

export async function closeUploads(
  trx: Trx,
  { scope, transferId, ids, now }: UploadsToClose,
): Promise<Set<string>> {
  const closed = new Set<string>();
  for (const batch of inBatches(ids, IDS_PER_STATEMENT)) {
    const rows = await trx
      .updateTable('uploads')
      .set({ state: 'complete', transferId, lastActivityAt: now })
      .where('id', 'in', batch)
      .where('userId', '=', scope.userId)
      .where('visitorKey', 'is not distinct from', scope.visitorKey)
      .where('state', '=', 'open')
      .returning('id')
      .execute();
    for (const { id } of rows) closed.add(id);
  }
  return closed;
}

/** Returns the deleted rows. */
export async function deleteOpenUploads(
  trx: Trx,
  { ids, transferId, idleSince }: { ids: string[]; transferId: string; idleSince?: number | undefined },
): Promise<UploadRow[]> {
  const deleted: UploadRow[] = [];
  for (const batch of inBatches(ids, IDS_PER_STATEMENT)) {
    const rows = await trx
      .deleteFrom('uploads')
      .where('id', 'in', batch)
      .where('transferId', '=', transferId)
      .where('state', '=', 'open')
      .$if(idleSince !== undefined, (query) => query.where('lastActivityAt', '<', idleSince!))
      .returningAll()
      .execute();
    deleted.push(...rows);
  }
  return deleted;
}

export async function touchUpload(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('uploads').set({ lastActivityAt: now }).where('id', '=', id).execute();
}

export async function findOwner(trx: Trx, userId: string): Promise<Pick<UserRow, 'id' | 'tier' | 'name'>> {
  return trx
    .selectFrom('users')
    .select(['id', 'tier', 'name'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}

export async function hasUploads(trx: Trx, transferId: string): Promise<boolean> {
  const found = await trx
    .selectFrom('uploads')
    .select('id')
    .where('transferId', '=', transferId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function countOpenUploads(trx: Trx, transferId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('uploads')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('transferId', '=', transferId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function findToken(db: Db, transferId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('token')
    .where('id', '=', transferId)
    .executeTakeFirst();
  return row?.token;
}

function* inBatches<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
