import { decodeSelection } from '../../../contracts/transfers/downloads/selection.ts';
import type {
  ReceivedKey,
  RecentDownload,
  Recipient,
  Transfer,
  TransferFile,
} from '../../../contracts/transfers/transfers.ts';
import type { Geo } from '../../platform/geo/geo.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import type { FindPreview } from '../previews/index.ts';
import { countShownFiles } from './arrival/arriving-uploads.ts';
import { presentProtection } from './encryption/protection.ts';
import { isExpired } from './lifecycle/expiry.ts';
import type { ShownRecipient } from './mails/recipients.ts';
import type { listRecentDownloads, ShownFile, ShownTransfer } from './queries.ts';

export function presentTransfer(row: ShownTransfer, now: number): Transfer {
  const { fileCount, totalBytes } = countShownFiles(row);
  return {
    id: row.id,
    token: row.token,
    status: row.status === 'arriving' ? 'arriving' : 'ready',
    title: row.title,
    firstFileName: row.firstFileName,
    message: row.message,
    receivedFrom: row.receivedFrom,
    recipientEmails: JSON.parse(row.recipientEmails) as string[],
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    scheduledAvailableAt: toIsoOrNull(row.scheduledAvailableAt),
    isExpired: isExpired(row, now),
    ...presentProtection(row),
    receivedKey: row.receivedKey === null ? null : (JSON.parse(row.receivedKey) as ReceivedKey),
    downloadCount: row.downloadCount,
    maxDownloads: row.maxDownloads,
    isLimitReached: row.maxDownloads !== null && row.downloadCount >= row.maxDownloads,
    autoDeleteAfterDownloads: row.autoDeleteAfterDownloads === 1,
    fileCount,
    totalSize: totalBytes,
    version: row.version,
    isTakenDown: row.takenDownAt !== null,
    scanState: row.scanState,
  };
}

/** `zipCount` is the transfer's; downloads of the whole zip count for each file in it. */
export function presentFile(row: ShownFile, zipCount: number, findPreview: FindPreview): TransferFile {
  return {
    id: row.id,
    originalName: row.originalName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    size: row.sizeBytes,
    uploadedAt: toIso(row.uploadedAt),
    modifiedAt: toIsoOrNull(row.modifiedAt),
    isExecutable: row.isExecutable === 1,
    // A file added between the two reads may start above the count that was read first.
    downloadCount: row.downloadCount + Math.max(0, zipCount - row.zipBase),
    position: row.position,
    sha256: row.damagedAt === null ? row.sha256 : null,
    isDamaged: row.damagedAt !== null,
    isChecking: row.heldState !== null,
    ...findPreview(row.id),
  };
}

export function presentRecipient(row: ShownRecipient): Recipient {
  return {
    id: row.id,
    email: row.email,
    mail: presentMail(row),
    openedAt: toIsoOrNull(row.openedAt),
    downloadedAt: toIsoOrNull(row.downloadedAt),
  };
}

/** A mail dropped with an error is shown as failed; one that was withdrawn is not shown. */
function presentMail({ mailState, mailError, mailCreatedAt, mailSentAt }: ShownRecipient): Recipient['mail'] {
  if (mailState === null || mailCreatedAt === null) return null;
  if (mailState === 'dropped' && mailError === null) return null;
  return {
    state: mailState === 'dropped' ? 'failed' : mailState,
    reason: mailState === 'sent' ? null : mailError,
    at: toIso(mailSentAt ?? mailCreatedAt),
  };
}

type ShownDownload = Awaited<ReturnType<typeof listRecentDownloads>>[number];

export function presentDownload(row: ShownDownload, geo: Geo): RecentDownload {
  return {
    id: row.id,
    downloadedAt: toIso(row.downloadedAt),
    fileId: row.fileId,
    selectedFiles: row.selection === null ? null : (decodeSelection(row.selection)?.length ?? null),
    ipAddress: row.ipAddress,
    country: row.country ?? geo.locate(row.ipAddress).country,
    userAgent: row.userAgent,
    recipientEmail: row.recipientEmail,
  };
}
