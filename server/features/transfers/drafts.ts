import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { RecipientRow, Tier, TransferRow } from '../../platform/db/schema.ts';
import type { Visitor } from '../../platform/http/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { dropMailsOfTransfer } from '../../platform/mail/outbox.ts';
import {
  addFiles,
  addReservedBytes,
  deleteEmptyDraft,
  insertDraft,
  lockTransfer,
  type NewDraft,
  type ScanState,
  selectOwnTransfer,
  subtractReservedBytes,
  updateAnnounceHeld,
  updateCompleteDraft,
  updateExpectedFiles,
  updateScanState,
} from './draft-queries.ts';
import { enqueueReadyMails } from './emails.ts';
import { noteReady } from './events.ts';
import { isExpired } from './expiry.ts';
import { addRecipients, listRecipients } from './recipients.ts';
import { gatherShareMail } from './share-mails.ts';

type Origin = {
  userId: string;
  clock: Clock;
  /** What a visitor brings, and what it is called. */
  arrival?: { visitor: Visitor; title: string | null } | undefined;
};

/** A transfer that takes files, and whether it is a draft created just now. */
export type OpenedTransfer = { transfer: TransferRow; isNew: boolean };

/** Opens a draft that gathers files. */
export async function createDraft(trx: Trx, origin: Origin): Promise<OpenedTransfer> {
  return { transfer: (await insertDraft(trx, newDraft(randomId(), origin)))!, isNew: true };
}

/**
 * Locks the user's transfer of this id as `holdOwnTransfer` does, or creates a draft with it; of parallel callers one
 * creates it. Throws AppError `conflict` while one of that id is being deleted.
 */
export async function holdOrCreateDraft(
  trx: Trx,
  { id, ...origin }: Omit<Origin, 'arrival'> & { id: string },
): Promise<OpenedTransfer> {
  const found = await lockTransfer(trx, origin.userId, id);
  if (found) return { transfer: found, isNew: false };
  const created = await insertDraft(trx, newDraft(id, origin));
  const transfer = created ?? (await lockTransfer(trx, origin.userId, id));
  if (!transfer) throw new AppError('conflict');
  return { transfer, isNew: created !== undefined };
}

function newDraft(id: string, { userId, clock, arrival }: Origin): NewDraft {
  return {
    id,
    userId,
    token: randomId(),
    createdAt: clock.now(),
    title: arrival?.title ?? null,
    receivedFrom: arrival?.visitor.email ?? null,
    invitationId: arrival?.visitor.invitationId ?? null,
    visitorKey: arrival?.visitor.key ?? null,
    visitId: arrival?.visitor.visitId ?? null,
  };
}

/** Throws AppError `transfer_not_found` for an unknown, a foreign and a deleted one alike. */
export async function findOwnTransfer(db: Db, userId: string, transferId: string): Promise<TransferRow> {
  const transfer = await selectOwnTransfer(db, userId, transferId);
  if (!transfer) throw new AppError('transfer_not_found');
  return transfer;
}

/**
 * As `findOwnTransfer`, and nobody else changes it until the transaction ends. Whoever writes several tables
 * takes the transfer first, so that two of them cannot wait for each other.
 */
export async function holdOwnTransfer(trx: Trx, userId: string, transferId: string): Promise<TransferRow> {
  const transfer = await lockTransfer(trx, userId, transferId);
  if (!transfer) throw new AppError('transfer_not_found');
  return transfer;
}

export type TransferAddition = {
  transferId: string;
  owner: { id: string; tier: Tier };
  bytes: number;
  /** Bytes in one transfer, of the owner's tier now. */
  storagePerTransfer: number;
};

/**
 * Sets bytes aside for files to come, in one conditional update: parallel callers never overshoot.
 * Throws AppError `transfer_limit_exceeded`, `transfer_not_found`.
 */
export async function reserveInTransfer(trx: Trx, addition: TransferAddition): Promise<void> {
  if (await addReservedBytes(trx, { ...addition, userId: addition.owner.id })) return;
  throw await explainRefusal(trx, addition);
}

/** Gives back what `reserveInTransfer` set aside. */
export async function releaseInTransfer(trx: Trx, transferId: string, bytes: number): Promise<void> {
  await subtractReservedBytes(trx, transferId, bytes);
}

/**
 * Counts complete files in. Their bytes were reserved before; they are held against the limit once more,
 * because the rights at completion decide. Throws AppError `transfer_limit_exceeded`, `transfer_not_found`.
 */
export async function addFilesToTransfer(
  trx: Trx,
  addition: TransferAddition & { files: number },
): Promise<void> {
  if (await addFiles(trx, { ...addition, userId: addition.owner.id })) return;
  throw await explainRefusal(trx, addition);
}

/** How many files a draft waits for; the last word before it is ready counts. No effect on a ready transfer. */
export async function announceFileCount(trx: Trx, transferId: string, fileCount: number): Promise<void> {
  await updateExpectedFiles(trx, transferId, fileCount);
}

/**
 * Makes a draft public once all announced files are there. Only the caller whose update flips it gives its
 * recipients their rows, schedules the mails and tells webhooks, in the same transaction; while files wait for the
 * scanner, mails and webhooks wait for `setScanState`. Returns whether this call did.
 */
export async function becomeReadyIfComplete(
  trx: Trx,
  context: Pick<Context, 'clock' | 'config' | 'secret'>,
  transferId: string,
): Promise<boolean> {
  const now = context.clock.now();
  const transfer = await updateCompleteDraft(trx, transferId, now);
  if (!transfer) return false;
  const emails = JSON.parse(transfer.recipientEmails) as string[];
  const recipients = await addRecipients(trx, transferId, emails, now);
  if (transfer.scanState === null) await announce(trx, context, transfer, recipients);
  else await updateAnnounceHeld(trx, transferId, now);
  return true;
}

/**
 * Writes why a transfer cannot be downloaded; of one that is open already, only its new files wait ('partial'). With
 * null nothing is against it any more, and its recipients and webhooks are told what was held back since it became
 * ready. The caller holds the transfer's row.
 */
export async function setScanState(
  trx: Trx,
  context: Pick<Context, 'clock' | 'config' | 'secret'>,
  { transferId, scanState }: { transferId: string; scanState: ScanState },
): Promise<void> {
  const transfer = await updateScanState(trx, { transferId, scanState });
  if (scanState === 'blocked') await dropMailsOfTransfer(trx, transferId);
  if (!transfer || scanState !== null || transfer.announceHeldAt === null) return;
  await updateAnnounceHeld(trx, transferId, null);
  // As when it is opened again: what an administrator closed is not mailed afterwards.
  if (transfer.takenDownAt !== null || isExpired(transfer, context.clock.now())) return;
  await announce(trx, context, transfer, await listRecipients(trx, transferId));
}

async function announce(
  trx: Trx,
  context: Pick<Context, 'clock' | 'config' | 'secret'>,
  transfer: TransferRow,
  recipients: RecipientRow[],
): Promise<void> {
  await enqueueReadyMails(trx, await gatherShareMail(trx, context, transfer), recipients);
  await noteReady(trx, transfer, context.clock.now());
}

/** Removes a draft without files and uploads. Returns whether it was one. */
export async function removeEmptyDraft(trx: Trx, transferId: string): Promise<boolean> {
  return deleteEmptyDraft(trx, transferId);
}

async function explainRefusal(trx: Trx, addition: TransferAddition): Promise<AppError> {
  const { transferId, owner, storagePerTransfer } = addition;
  if (!(await selectOwnTransfer(trx, owner.id, transferId))) return new AppError('transfer_not_found');
  return new AppError('transfer_limit_exceeded', {
    details: { tier: owner.tier, size: formatSize(storagePerTransfer) },
  });
}
