import type { DownloadView } from '../../../contracts/downloads.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import type { Looks } from '../previews/looks.ts';
import { presentFile } from '../transfers/presenter.ts';
import type { listSharedFiles, Share } from './queries.ts';
import { measureZip } from './resources.ts';

export const EXPIRED_VIEW: DownloadView = { isExpired: true };

export const LOCKED_VIEW: DownloadView = { isPasswordProtected: true, unlocked: false };

/** Before its time a transfer says when it comes, and neither the message nor any file's name. */
export function presentScheduled(share: Share): DownloadView {
  return { ...presentFacts(share), availableAt: toIso(share.scheduledAvailableAt!) };
}

export function presentOpen(
  share: Share,
  files: Awaited<ReturnType<typeof listSharedFiles>>,
  looks: Looks,
): DownloadView {
  return {
    ...presentFacts(share),
    message: share.message,
    ...(files.length > 1 && { zipSize: measureZip(files) }),
    files: files.map((file) => presentFile(file, share.zipCount, looks)),
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
