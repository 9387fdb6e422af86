import type { TransferRow, UserRow } from '../../platform/db/schema.ts';
import { hashToken } from '../../platform/lib/tokens.ts';

/** Equal as long as nobody has edited or downloaded the transfer, or unlocked it for the first time. */
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
    ]),
  );
}

/** Equal as long as the account's owner and administrators have not changed it. */
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
