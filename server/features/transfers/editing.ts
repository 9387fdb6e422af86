import { errorMessage } from '../../../contracts/errors.ts';
import type { TransferDetail, UpdateTransferInput } from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { dropMailsToRecipients } from '../../platform/mail/outbox.ts';
import { hashPassword } from '../accounts/index.ts';
import { getTierConfig, limitsOf } from '../tiers/index.ts';
import { findOwnTransfer, holdOwnTransfer } from './drafts.ts';
import { updateReadyTransfer } from './edit-queries.ts';
import { decideEdits, requireIncludedChanges } from './edits.ts';
import { enqueueShareMails } from './emails.ts';
import { isExpired } from './expiry.ts';
import { chargeMails } from './mail-quota.ts';
import { updateRecipientEmails } from './queries.ts';
import { deleteRecipients } from './recipient-queries.ts';
import { addRecipients, listRecipients, recipientKey } from './recipients.ts';
import { gatherShareMail } from './share-mails.ts';
import { getTransfer } from './transfers.ts';

type Edit = {
  transferId: string;
  sender: Pick<UserRow, 'id' | 'tier'>;
  changes: UpdateTransferInput;
  /** The network that the call came from, as `addressKey` names it. */
  address: string;
};

/**
 * Changes what was decided when the transfer was sent, all or nothing; new recipients of a live transfer are
 * mailed. Throws AppError `transfer_not_found`, `transfer_used_up` (auto-delete has closed it),
 * `limit_below_downloads`, and what `requireIncludedChanges`, `decideEdits` and `chargeMails` throw.
 */
export async function updateTransfer(context: Context, edit: Edit): Promise<TransferDetail> {
  const { db } = context;
  const { transferId, sender, changes } = edit;
  const found = await findOwnTransfer(db, sender.id, transferId);
  requireEditable(found);
  // Again under the lock; here it spares the hashing.
  requireIncludedChanges(sender.tier, found, changes);
  const { retentionDays } = limitsOf(await getTierConfig(context), sender.tier);
  const passwordHash = changes.password
    ? await hashPassword(changes.password, { account: sender.id })
    : changes.password;
  await transaction(db, (trx) => commitEdit(trx, context, { ...edit, retentionDays, passwordHash }));
  return getTransfer(context, { transferId, userId: sender.id });
}

type Decided = Edit & { retentionDays: number; passwordHash: string | null | undefined };

async function commitEdit(trx: Trx, context: Context, edit: Decided): Promise<void> {
  const { transferId, sender, changes, address, retentionDays, passwordHash } = edit;
  const now = context.clock.now();
  const transfer = await holdOwnTransfer(trx, sender.id, transferId);
  requireEditable(transfer);
  requireIncludedChanges(sender.tier, transfer, changes);
  const columns = decideEdits(transfer, changes, { retentionDays, now, passwordHash });
  const edited = await updateReadyTransfer(trx, transferId, columns);
  // Nothing else can have refused it: the row is ours until the end.
  if (!edited) throw tooManyDownloads(transfer, changes);
  const { recipientEmails: emails } = changes;
  if (emails) await editRecipients(trx, context, { transfer: edited, emails, address });
}

function requireEditable({ status, closedAt }: TransferRow): void {
  if (status !== 'ready') throw new AppError('transfer_not_found');
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

/** Adds rows for new recipients, and mails while the transfer is live; removes the rows and mails of former ones. */
async function editRecipients(
  trx: Trx,
  context: Context,
  { transfer, emails, address }: { transfer: TransferRow; emails: string[]; address: string },
): Promise<void> {
  const { id: transferId, userId: senderId } = transfer;
  const now = context.clock.now();
  const present = new Map((await listRecipients(trx, transferId)).map((row) => [row.emailKey, row]));
  const wanted = new Set(emails.map(recipientKey));
  const gone = [...present.values()].filter(({ emailKey }) => !wanted.has(emailKey));
  const added = emails.filter((email) => !present.has(recipientKey(email)));

  await dropMailsToRecipients(
    trx,
    transferId,
    gone.map(({ email }) => email),
  );
  await deleteRecipients(
    trx,
    gone.map(({ id }) => id),
  );
  const rows = await addRecipients(trx, transferId, added, now);
  const asStored = emails.map((email) => present.get(recipientKey(email))?.email ?? email);
  await updateRecipientEmails(trx, transferId, asStored);
  if (rows.length === 0 || !isLive(transfer, now)) return;
  await chargeMails(trx, context, { senderId, emails: added, address });
  // Sent to all recipients once the files are scanned.
  if (transfer.announceHeldAt !== null) return;
  await enqueueShareMails(trx, await gatherShareMail(trx, context, transfer), rows);
}

/** Whether somebody who got the link now could download. */
function isLive(transfer: TransferRow, now: number): boolean {
  if (transfer.takenDownAt !== null || transfer.scanState === 'blocked') return false;
  const { maxDownloads, downloadCount } = transfer;
  return !isExpired(transfer, now) && (maxDownloads === null || downloadCount < maxDownloads);
}
