import type { Db, Trx } from '../../platform/db/open.ts';

type OfTransfer = { transferId: string; recipientToken: string };

/** The id of the recipient of this very transfer whose own link holds the token. */
export async function findRecipientId(
  db: Db,
  { transferId, recipientToken }: OfTransfer,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('transferRecipients')
    .select('id')
    .where('token', '=', recipientToken)
    .where('transferId', '=', transferId)
    .executeTakeFirst();
  return row?.id;
}

/** The first time counts. */
export async function markOpened(
  db: Db,
  { transferId, recipientToken, now }: OfTransfer & { now: number },
): Promise<void> {
  await db
    .updateTable('transferRecipients')
    .set({ openedAt: now })
    .where('token', '=', recipientToken)
    .where('transferId', '=', transferId)
    .where('openedAt', 'is', null)
    .execute();
}

/**
 * The first time counts: returns whether this is it. Whoever has downloaded has opened it as well, if only with
 * curl.
 */
export async function markDownloaded(
  trx: Trx,
  { recipientId, now }: { recipientId: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transferRecipients')
    .set((eb) => ({ downloadedAt: now, openedAt: eb.fn.coalesce('openedAt', eb.val(now)) }))
    .where('id', '=', recipientId)
    .where('downloadedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** undefined for who was taken off the list since. */
export async function findRecipientEmail(trx: Trx, recipientId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('id', '=', recipientId)
    .executeTakeFirst();
  return row?.email;
}
