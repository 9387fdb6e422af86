import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Trx } from '../../platform/db/open.ts';
import type { Database, TransferRow } from '../../platform/db/schema.ts';

/** The columns a change of settings may touch. */
export type EditedColumns = Partial<
  Pick<
    TransferRow,
    | 'title'
    | 'message'
    | 'expiresAt'
    | 'isExpired'
    | 'scheduledAvailableAt'
    | 'passwordHash'
    | 'maxDownloads'
    | 'autoDeleteAfterDownloads'
  >
>;

/**
 * Writes the changes unless the transfer is not public any more or, where the limit is touched, there have
 * been too many downloads for it: with auto-delete one must be left, because the last one deletes. Returns
 * the transfer as it is now.
 */
export function updateReadyTransfer(
  trx: Trx,
  transferId: string,
  changes: EditedColumns,
): Promise<TransferRow | undefined> {
  const { maxDownloads, autoDeleteAfterDownloads } = changes;
  const touchesLimit = maxDownloads !== undefined || autoDeleteAfterDownloads !== undefined;
  return trx
    .updateTable('transfers')
    .set((eb) => ({ fileCount: eb.ref('fileCount'), ...changes }))
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('closedAt', 'is', null)
    .$if(touchesLimit && maxDownloads !== null, (query) => query.where((eb) => staysWithin(eb, changes)))
    .returningAll()
    .executeTakeFirst();
}

function staysWithin(
  eb: ExpressionBuilder<Database, 'transfers'>,
  { maxDownloads, autoDeleteAfterDownloads }: EditedColumns,
): Expression<SqlBool> {
  const kept = autoDeleteAfterDownloads ?? eb.ref('autoDeleteAfterDownloads');
  const used = eb('downloadCount', '+', kept);
  if (typeof maxDownloads === 'number') return eb(used, '<=', maxDownloads);
  return eb.or([eb('maxDownloads', 'is', null), eb(used, '<=', eb.ref('maxDownloads'))]);
}
