import type { ReceivedKey } from '../../../../contracts/transfers/transfers.ts';
import type { Trx } from '../../../platform/db/open.ts';

/**
 * Stores the key that a visitor sealed for the owner of the invitation, and replaces an earlier one. Returns false once
 * the transfer is ready: then the key must not change any more.
 */
export async function storeReceivedKey(
  trx: Trx,
  { transferId, ...key }: ReceivedKey & { transferId: string },
): Promise<boolean> {
  const stored = await trx
    .updateTable('transfers')
    .set({ receivedKey: JSON.stringify(key satisfies ReceivedKey) })
    .where('id', '=', transferId)
    .where('status', '=', 'draft')
    .where('encryption', 'is not', null)
    .where('visitorKey', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return stored !== undefined;
}
