import type { Trx } from '../open.ts';
import type { TransferRow } from '../schema.ts';

/**
 * Locks the row until the transaction ends, with an update that changes nothing, which works in both databases. Returns
 * undefined if the transfer does not exist, or is being deleted.
 */
export function lockTransfer(trx: Trx, transferId: string): Promise<TransferRow | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({ fileCount: eb.ref('fileCount') }))
    .where('id', '=', transferId)
    .where('status', '!=', 'deleting')
    .returningAll()
    .executeTakeFirst();
}
