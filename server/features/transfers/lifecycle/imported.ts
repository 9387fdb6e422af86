import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { addRecipients } from '../mails/recipients.ts';

export type ImportedTransferRow = Pick<
  TransferRow,
  | 'id'
  | 'userId'
  | 'title'
  | 'message'
  | 'createdAt'
  | 'expiresAt'
  | 'passwordHash'
  | 'maxDownloads'
  | 'downloadCount'
  | 'fileCount'
  | 'totalBytes'
> & { recipients: string[] };

/**
 * Inserts a transfer that is public at once, as another product had it: limits of plans and quotas don't apply, and
 * nobody is mailed. The caller inserts its files in the same transaction.
 */
export async function insertImportedTransfer(
  trx: Trx,
  { recipients, ...row }: ImportedTransferRow,
  now: number,
): Promise<TransferRow> {
  const transfer = await trx
    .insertInto('transfers')
    .values({
      ...row,
      token: randomId(),
      status: 'ready',
      readyAt: row.createdAt,
      recipientEmails: JSON.stringify(recipients),
      expectedFiles: row.fileCount,
      reservedBytes: row.totalBytes,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await addRecipients(trx, row.id, recipients, now);
  return transfer;
}
