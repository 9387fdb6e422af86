import type { DownloadView } from '../../../contracts/transfers/downloads.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import type { FilePage } from '../transfers/index.ts';
import type { Share } from './queries.ts';

export const EXPIRED_VIEW: DownloadView = { isExpired: true };

/** Nothing is shown of files that may be dangerous. */
export const CHECKING_VIEW: DownloadView = { isChecking: true };

export const LOCKED_VIEW: DownloadView = { isPasswordProtected: true, unlocked: false };

/** Before its time a transfer says when it comes, and neither the message nor any file's name. */
export function presentScheduled(share: Share): DownloadView {
  return { ...presentFacts(share), availableAt: toIso(share.scheduledAvailableAt!) };
}

type Contents = {
  page: FilePage;
  zipSize: number | undefined;
  hasDamagedFiles: boolean;
};

export function presentOpen(share: Share, { page, zipSize, hasDamagedFiles }: Contents): DownloadView {
  return {
    ...presentFacts(share),
    message: share.message,
    ...(zipSize !== undefined && { zipSize }),
    hasDamagedFiles,
    ...page,
  };
}

function presentFacts(share: Share): DownloadView {
  return {
    isPasswordProtected: share.passwordHash !== null,
    unlocked: true,
    isExpired: false,
    title: share.title,
    createdAt: toIso(share.createdAt),
    expiresAt: toIsoOrNull(share.expiresAt),
    scheduledAvailableAt: toIsoOrNull(share.scheduledAvailableAt),
    downloadCount: share.downloadCount,
    maxDownloads: share.maxDownloads,
    fileCount: share.fileCount,
    totalSize: share.totalBytes,
  };
}
