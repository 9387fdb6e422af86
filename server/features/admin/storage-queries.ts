import type { Db } from '../../platform/db/open.ts';

/** Bytes announced by uploads that go on, and how many of them have arrived. */
export async function sumReserved(db: Db): Promise<{ reserved: number; received: number }> {
  const { bytes, received } = await db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select(({ fn }) => [
      fn.sum('uploads.sizeBytes').as('bytes'),
      fn.sum('uploads.receivedBytes').as('received'),
    ])
    .where('uploads.state', '=', 'open')
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirstOrThrow();
  return { reserved: Number(bytes ?? 0), received: Number(received ?? 0) };
}

/** Bytes of transfers that are deleted and wait for the job that removes their blobs. */
export async function sumDeleting(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('transfers')
    .select(({ fn }) => fn.sum('reservedBytes').as('bytes'))
    .where('status', '=', 'deleting')
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}
