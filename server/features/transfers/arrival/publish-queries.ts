import type { Db, Trx } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';

type Publication = {
  transferId: string;
  now: Instant;
  expectedFiles: number;
  /** Null if the expiry is fixed. */
  expiresAfterMs: number | null;
};

/** Only a draft with settings. Also publishes one again whose upload had stopped. */
export async function markArriving(
  trx: Trx,
  { transferId, now, expectedFiles, expiresAfterMs }: Publication,
): Promise<TransferRow | undefined> {
  return (
    trx
      .updateTable('transfers')
      .set((eb) => ({
        status: 'arriving',
        publishedAt: eb.fn.coalesce('publishedAt', eb.cast<number>(eb.val(now), 'bigint')),
        arrivalStoppedAt: null,
        expectedFiles,
        ...(expiresAfterMs !== null && { expiresAfterMs, expiresAt: null }),
      }))
      .where('id', '=', transferId)
      .where('status', '=', 'draft')
      .where('expectedFiles', 'is not', null)
      // Only `publishUpdate` publishes the files of an update.
      .where('updatesTransferId', 'is', null)
      .returningAll()
      .executeTakeFirst()
  );
}

/** Call it in the transaction that announces or withdraws files. Has no effect unless the transfer is arriving. */
export async function changeAnnouncedFiles(trx: Trx, transferId: string, change: number): Promise<void> {
  await trx
    .updateTable('transfers')
    .set((eb) => ({ expectedFiles: eb('expectedFiles', '+', change) }))
    .where('id', '=', transferId)
    .where('status', '=', 'arriving')
    .execute();
}

/** Closes the link. Returns false if bytes have arrived since. */
export async function markStopped(
  trx: Trx,
  { transferId, idleSince, now }: { transferId: string; idleSince: Instant; now: Instant },
): Promise<boolean> {
  const row = await trx
    .updateTable('transfers')
    .set({ status: 'draft', arrivalStoppedAt: now })
    .where('id', '=', transferId)
    .where('status', '=', 'arriving')
    .where('publishedAt', '<', idleSince)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads')
            .select('uploads.id')
            .where('uploads.transferId', '=', transferId)
            .where('uploads.state', '=', 'open')
            .where('uploads.lastActivityAt', '>=', idleSince),
        ),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export type ListedArrival = Pick<
  TransferRow,
  'id' | 'token' | 'title' | 'publishedAt' | 'fileCount' | 'expectedFiles' | 'reservedBytes' | 'status'
> & { firstFileName: string | null };

export function listOwnArrivals(db: Db, userId: string, limit: number): Promise<ListedArrival[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'token', 'title', 'publishedAt', 'fileCount', 'expectedFiles', 'reservedBytes', 'status'])
    .select(firstFileName)
    .where('userId', '=', userId)
    .where('status', 'in', ['arriving', 'draft'])
    .where((eb) => eb.or([eb('status', '=', 'arriving'), eb('arrivalStoppedAt', '>', 0)]))
    .orderBy('publishedAt', 'desc')
    .limit(limit)
    .execute();
}

type Arrival = Pick<TransferRow, 'id' | 'userId' | 'fileCount' | 'expectedFiles'>;

export function listArrivals(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<Arrival[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'userId', 'fileCount', 'expectedFiles'])
    .where('status', '=', 'arriving')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
