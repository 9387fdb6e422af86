import type { NewEncryption } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { RecipientRow, TransferRow } from '../../../platform/db/schema.ts';
import type { Visitor } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { Clock } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { dropMailsOfTransfer } from '../../../platform/mail/outbox.ts';
import { enqueueArrivalNotices } from '../arrival/arrival-notices.ts';
import { discardDocument, listSealedDocuments } from '../encryption/sealed-documents.ts';
import { recordReadyEvent } from '../events.ts';
import { enqueueReadyMails, gatherShareMail } from '../mails/emails.ts';
import { addRecipients, listRecipients } from '../mails/recipients.ts';
import {
  deleteEmptyDraft,
  insertDraft,
  lockTransfer,
  type NewDraft,
  type ScanState,
  selectOwnTransfer,
  updateAnnounceHeld,
  updateCompleteDraft,
  updateExpectedFiles,
  updateScanState,
} from './draft-queries.ts';
import { isExpired } from './expiry.ts';

type Origin = {
  userId: string;
  clock: Clock;
  arrival?: { visitor: Visitor; title: string | null } | undefined;
  encryption?: NewEncryption | null | undefined;
};

export type OpenedTransfer = { transfer: TransferRow; isNew: boolean };

export async function createDraft(trx: Trx, origin: Origin): Promise<OpenedTransfer> {
  return { transfer: (await insertDraft(trx, newDraft(randomId(), origin)))!, isNew: true };
}

/**
 * Of parallel callers, exactly one creates the draft. Throws AppError `conflict` while a transfer with this id is
 * being deleted.
 */
export async function lockOrCreateDraft(
  trx: Trx,
  { id, ...origin }: Omit<Origin, 'arrival' | 'encryption'> & { id: string },
): Promise<OpenedTransfer> {
  const found = await lockTransfer(trx, origin.userId, id);
  if (found) return { transfer: found, isNew: false };
  const created = await insertDraft(trx, newDraft(id, origin));
  const transfer = created ?? (await lockTransfer(trx, origin.userId, id));
  if (!transfer) throw new AppError('conflict');
  return { transfer, isNew: created !== undefined };
}

function newDraft(id: string, { userId, clock, arrival, encryption }: Origin): NewDraft {
  return {
    id,
    userId,
    token: randomId(),
    createdAt: clock.now(),
    // Nothing readable is stored with an encrypted transfer.
    title: encryption ? null : (arrival?.title ?? null),
    receivedFrom: arrival?.visitor.email ?? null,
    invitationId: arrival?.visitor.invitationId ?? null,
    visitorKey: arrival?.visitor.key ?? null,
    visitId: arrival?.visitor.visitId ?? null,
    ...encryptionColumns(encryption ?? undefined),
  };
}

function encryptionColumns(
  encryption: NewEncryption | undefined,
): Pick<NewDraft, 'encryption' | 'accessKeyHash'> {
  if (!encryption) return { encryption: null, accessKeyHash: null };
  const { accessKeyHash, ...params } = encryption;
  return { encryption: JSON.stringify(params), accessKeyHash };
}

/** Throws AppError `transfer_not_found`, also for other users' transfers. */
export async function findOwnTransfer(db: Db, userId: string, transferId: string): Promise<TransferRow> {
  const transfer = await selectOwnTransfer(db, userId, transferId);
  if (!transfer) throw new AppError('transfer_not_found');
  return transfer;
}

/** Transactions that write several tables lock the transfer first to avoid deadlocks. */
export async function lockOwnTransfer(trx: Trx, userId: string, transferId: string): Promise<TransferRow> {
  const transfer = await lockTransfer(trx, userId, transferId);
  if (!transfer) throw new AppError('transfer_not_found');
  return transfer;
}

/** Throws AppError `still_arriving`, and `transfer_not_found` for a draft or a transfer that is being deleted. */
export function requireComplete({ status }: Pick<TransferRow, 'status'>): void {
  if (status === 'arriving') throw new AppError('still_arriving');
  if (status !== 'ready') throw new AppError('transfer_not_found');
}

/** Has no effect on a ready transfer. */
export async function announceFileCount(trx: Trx, transferId: string, fileCount: number): Promise<void> {
  await updateExpectedFiles(trx, transferId, fileCount);
}

/**
 * Makes a draft or an arriving transfer ready once all announced files have arrived. Only the call that changes the
 * status inserts the recipients and enqueues mails and webhooks, in the same transaction. While files wait for the
 * scanner, mails and webhooks wait for `setScanState`. Returns whether this call changed the status.
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
 * Sets why a transfer cannot be downloaded. If it is already public, only its new files are held back ('partial'). null
 * unblocks the transfer and sends the mails and webhooks that were held back. The caller must have locked the
 * transfer's row.
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
  await announce(trx, context, transfer, await listRecipients(trx, transferId));
}

/** Tells nobody of a transfer that an administrator has taken down, or that has expired; reopening it sends no mails. */
async function announce(
  trx: Trx,
  context: Pick<Context, 'clock' | 'config' | 'secret'>,
  transfer: TransferRow,
  recipients: RecipientRow[],
): Promise<void> {
  const now = context.clock.now();
  const isOpen = transfer.takenDownAt === null && !isExpired(transfer, now);
  const mail = await gatherShareMail(trx, context, transfer);
  if (isOpen) await enqueueReadyMails(trx, mail, recipients);
  await enqueueArrivalNotices(trx, mail, new Set(recipients.map(({ emailKey }) => emailKey)));
  if (isOpen) await recordReadyEvent(trx, transfer, now);
}

/** Returns false if it is no draft, or contains files or uploads. */
export async function removeEmptyDraft(trx: Trx, transferId: string): Promise<boolean> {
  const documents = await listSealedDocuments(trx, transferId);
  if (!(await deleteEmptyDraft(trx, transferId))) return false;
  for (const document of documents) await discardDocument(trx, document);
  return true;
}
