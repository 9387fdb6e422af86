import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { errorMessage } from '../../../../contracts/errors.ts';
import type { TransferDetail, UpdateTransferInput } from '../../../../contracts/transfers/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { Database, TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { dropMailsToRecipients } from '../../../platform/mail/outbox.ts';
import { hashPassword } from '../../accounts/index.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import { requireSealedSettings } from '../encryption/sealed-settings.ts';
import { findOwnTransfer, lockOwnTransfer } from '../lifecycle/drafts.ts';
import { isExpired } from '../lifecycle/expiry.ts';
import { chargeMails } from '../limits/mail-quota.ts';
import { enqueueShareMails, gatherShareMail } from '../mails/emails.ts';
import { addRecipients, deleteRecipients, listRecipients, recipientKey } from '../mails/recipients.ts';
import { updateRecipientEmails } from '../queries.ts';
import { getTransfer } from '../transfers.ts';
import { decideEdits, type EditedColumns, requireIncludedSettings } from './settings.ts';

type Edit = {
  transferId: string;
  sender: Pick<UserRow, 'id' | 'tier'>;
  changes: UpdateTransferInput;
  address: string;
};

/** Like `editTransfer`, and returns the details. */
export async function updateTransfer(context: Context, edit: Edit): Promise<TransferDetail> {
  const { transferId, sender } = edit;
  await editTransfer(context, edit);
  return getTransfer(context, { transferId, userId: sender.id });
}

/**
 * Changes a transfer's settings, all or nothing; mails new recipients if the transfer can be downloaded. Throws
 * AppError `transfer_not_found`, `transfer_used_up` (auto-delete has closed it), `must_be_encrypted`,
 * `limit_below_downloads`, and what `requireIncludedSettings`, `decideEdits` and `chargeMails` throw.
 */
export async function editTransfer(context: Context, edit: Edit): Promise<Pick<TransferRow, 'expiresAt'>> {
  const { db } = context;
  const { transferId, sender, changes } = edit;
  const found = await findOwnTransfer(db, sender.id, transferId);
  requireEditable(found);
  requireSealedSettings(found, changes);
  // Fail before hashing the password; checked again under the lock.
  requireIncludedSettings(sender, changes, found);
  const { retentionDays } = limitsOf(await getTierConfig(context), sender.tier);
  const passwordHash = changes.password
    ? await hashPassword(changes.password, { account: sender.id })
    : changes.password;
  return transaction(db, (trx) => commitEdit(trx, context, { ...edit, retentionDays, passwordHash }));
}

type DecidedEdit = Edit & { retentionDays: number; passwordHash: string | null | undefined };

async function commitEdit(trx: Trx, context: Context, edit: DecidedEdit): Promise<TransferRow> {
  const { transferId, sender, changes, address, retentionDays, passwordHash } = edit;
  const now = context.clock.now();
  const transfer = await lockOwnTransfer(trx, sender.id, transferId);
  requireEditable(transfer);
  requireIncludedSettings(sender, changes, transfer);
  const columns = decideEdits(transfer, changes, { retentionDays, now, passwordHash });
  const edited = await updateReadyTransfer(trx, transferId, columns);
  // The row is locked, so only the download limit can have refused the update.
  if (!edited) throw tooManyDownloads(transfer, changes);
  const { recipientEmails: emails } = changes;
  if (emails) await editRecipients(trx, context, { transfer: edited, emails, address });
  return edited;
}

function requireEditable({ status, closedAt }: TransferRow): void {
  if (status !== 'ready' && status !== 'arriving') throw new AppError('transfer_not_found');
  if (closedAt !== null) throw new AppError('transfer_used_up');
}

function tooManyDownloads({ downloadCount: count }: TransferRow, { maxDownloads }: UpdateTransferInput) {
  const isLower = maxDownloads !== undefined && maxDownloads !== null && maxDownloads < count;
  const message = isLower
    ? errorMessage('limit_below_downloads', { count })
    : `There have been ${count} downloads already: with auto-delete the limit must be higher.`;
  return new AppError('limit_below_downloads', {
    message,
    details: { count },
    errors: { maxDownloads: message },
  });
}

async function editRecipients(
  trx: Trx,
  context: Context,
  { transfer, emails, address }: { transfer: TransferRow; emails: string[]; address: string },
): Promise<void> {
  const { id: transferId, userId: senderId } = transfer;
  const now = context.clock.now();
  const present = new Map((await listRecipients(trx, transferId)).map((row) => [row.emailKey, row]));
  const wanted = new Set(emails.map(recipientKey));
  const removed = [...present.values()].filter(({ emailKey }) => !wanted.has(emailKey));
  const added = emails.filter((email) => !present.has(recipientKey(email)));

  await dropMailsToRecipients(
    trx,
    transferId,
    removed.map(({ email }) => email),
  );
  await deleteRecipients(
    trx,
    removed.map(({ id }) => id),
  );
  const rows = await addRecipients(trx, transferId, added, now);
  const asStored = emails.map((email) => present.get(recipientKey(email))?.email ?? email);
  await updateRecipientEmails(trx, transferId, asStored);
  if (rows.length === 0 || !isLive(transfer, now)) return;
  await chargeMails(trx, context, { senderId, emails: added, address });
  // All recipients are mailed once the files are scanned, or have arrived.
  if (transfer.announceHeldAt !== null || transfer.status === 'arriving') return;
  await enqueueShareMails(trx, await gatherShareMail(trx, context, transfer), rows);
}

function isLive(transfer: TransferRow, now: number): boolean {
  if (transfer.takenDownAt !== null || transfer.scanState === 'blocked') return false;
  const { maxDownloads, downloadCount } = transfer;
  return !isExpired(transfer, now) && (maxDownloads === null || downloadCount < maxDownloads);
}

/**
 * Returns undefined if the transfer is no longer public or a new download limit is below the downloads so far. With
 * auto-delete, at least one download must be left, because the last one deletes the transfer.
 */
function updateReadyTransfer(
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
    .where('status', 'in', PUBLIC_STATUSES)
    .where('closedAt', 'is', null)
    .$if(touchesLimit && maxDownloads !== null, (query) => query.where((eb) => fitsWithin(eb, changes)))
    .returningAll()
    .executeTakeFirst();
}

function fitsWithin(
  eb: ExpressionBuilder<Database, 'transfers'>,
  { maxDownloads, autoDeleteAfterDownloads }: EditedColumns,
): Expression<SqlBool> {
  const kept = autoDeleteAfterDownloads ?? eb.ref('autoDeleteAfterDownloads');
  const used = eb('downloadCount', '+', kept);
  if (typeof maxDownloads === 'number') return eb(used, '<=', maxDownloads);
  return eb.or([eb('maxDownloads', 'is', null), eb(used, '<=', eb.ref('maxDownloads'))]);
}
