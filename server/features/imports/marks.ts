import type { TransferRow, UserRow } from '../../platform/db/schema.ts';
import { hashToken } from '../../platform/lib/tokens.ts';

/**
 * Changes when the transfer or its files are edited, when it is downloaded, and when it is unlocked for the first time.
 */
export function markOfTransfer(transfer: TransferRow): string {
  return hashToken(
    JSON.stringify([
      transfer.title,
      transfer.message,
      transfer.recipientEmails,
      transfer.expiresAt,
      transfer.scheduledAvailableAt,
      transfer.passwordHash,
      transfer.maxDownloads,
      transfer.autoDeleteAfterDownloads,
      transfer.fileCount,
      transfer.totalBytes,
      transfer.downloadCount,
      transfer.zipCount,
      transfer.takenDownAt,
      transfer.reopenAskedAt,
      // Marks that were recorded before transfers had versions lack it.
      ...(transfer.version > 1 ? [transfer.version] : []),
    ]),
  );
}

/** Changes when the account's owner or an administrator changes the account. */
export function markOfUser(user: UserRow): string {
  return hashToken(
    JSON.stringify([
      user.name,
      user.username,
      user.email,
      user.passwordHash,
      user.isAdmin,
      user.tier,
      user.hasSecondFactor,
      user.backgroundStorageKey,
      user.paymentCustomerId,
    ]),
  );
}
