import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { lockOwnTransfer, storeReceivedKey } from '../../transfers/index.ts';
import { requireAccess, requireStillOpen, type Uploader } from '../core/uploader.ts';
import { lockInvitation } from '../visitors/visitors.ts';

type SentKey = { transferId: string; sealedKey: string };

/**
 * Stores a visitor's sealed key of their encrypted draft. Throws AppError `not_allowed` (owners have the key already),
 * `transfer_not_found` (also once it is delivered), `not_found` (not encrypted), and what `lockInvitation` throws.
 */
export async function storeSealedKey(
  context: Pick<Context, 'db' | 'clock'>,
  uploader: Uploader,
  { transferId, sealedKey }: SentKey,
): Promise<void> {
  const { owner, visitor } = uploader;
  await transaction(context.db, async (trx) => {
    await lockInvitation(trx, context, uploader);
    const transfer = await lockOwnTransfer(trx, owner.id, transferId);
    requireAccess(uploader, transfer);
    requireStillOpen(uploader, transfer);
    if (!visitor) throw new AppError('not_allowed');
    const key = { transferId, invitationId: visitor.invitationId, sealedKey };
    if (!(await storeReceivedKey(trx, key))) throw new AppError('not_found');
  });
}
