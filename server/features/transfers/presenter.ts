import type { RecentDownload, Transfer, TransferFile } from '../../../contracts/transfers.ts';
import type { DownloadsTable } from '../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { isExpired } from './expiry.ts';
import type { ShownFile, ShownTransfer } from './queries.ts';

/** A transfer as its owner sees it. */
export function presentTransfer(row: ShownTransfer, now: number): Transfer {
  return {
    id: row.id,
    token: row.token,
    title: row.title,
    message: row.message,
    recipientEmails: JSON.parse(row.recipientEmails) as string[],
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    scheduledAvailableAt: toIsoOrNull(row.scheduledAvailableAt),
    isExpired: isExpired(row, now),
    isPasswordProtected: row.passwordHash !== null,
    downloadCount: row.downloadCount,
    maxDownloads: row.maxDownloads,
    autoDeleteAfterDownloads: row.autoDeleteAfterDownloads === 1,
    fileCount: row.fileCount,
    totalSize: row.totalBytes,
  };
}

/** A file as its owner and its recipients see it. `zipCount` is that of its transfer. */
export function presentFile(row: ShownFile, zipCount: number): TransferFile {
  return {
    id: row.id,
    originalName: row.originalName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    size: row.sizeBytes,
    uploadedAt: toIso(row.uploadedAt),
    // A file that joined between the two reads starts above the count read first.
    downloadCount: row.downloadCount + Math.max(0, zipCount - row.zipBase),
  };
}

export function presentDownload(row: Omit<DownloadsTable, 'transferId' | 'completedAt'>): RecentDownload {
  return {
    id: row.id,
    downloadedAt: toIso(row.downloadedAt),
    fileId: row.fileId,
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
  };
}
