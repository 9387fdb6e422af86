import type { Trx } from '../../platform/db/open.ts';
import type { TransferViewsTable } from '../../platform/db/schema.ts';

export type NewView = Pick<
  TransferViewsTable,
  'id' | 'transferId' | 'viewedAt' | 'ipAddress' | 'userAgent' | 'referer'
>;

/**
 * Notes a view unless the same one is there, or (`previousId`) one of the half hour before that is younger than
 * `viewedAfter`, or the transfer is gone: one statement, so that however many ask at once, one is noted.
 * Returns whether this one was.
 */
export async function insertView(
  trx: Trx,
  { id, transferId, viewedAt, ipAddress, userAgent, referer }: NewView,
  { previousId, viewedAfter }: { previousId: string; viewedAfter: number },
): Promise<boolean> {
  const row = await trx
    .insertInto('transferViews')
    .columns(['id', 'transferId', 'viewedAt', 'ipAddress', 'userAgent', 'referer'])
    .expression(
      trx
        .selectFrom('transfers')
        .select((eb) => [
          eb.cast<string>(eb.val(id), 'text').as('id'),
          'transfers.id as transferId',
          eb.cast<number>(eb.val(viewedAt), 'bigint').as('viewedAt'),
          eb.cast<string | null>(eb.val(ipAddress), 'text').as('ipAddress'),
          eb.cast<string | null>(eb.val(userAgent), 'text').as('userAgent'),
          eb.cast<string | null>(eb.val(referer), 'text').as('referer'),
        ])
        .where('transfers.id', '=', transferId)
        .where('status', '=', 'ready')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('transferViews')
                .select('transferViews.id')
                .where('transferViews.id', '=', previousId)
                .where('viewedAt', '>', viewedAfter),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
