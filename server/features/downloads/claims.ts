import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import {
  addToFileCounts,
  completeDownloadRow,
  insertDownload,
  isDelivered,
  reviveDownload,
  takeDownload,
  updateReached,
} from './claim-queries.ts';
import { enqueueClosingEnd, removeIfUsedUp } from './closing.ts';
import { noteCompleted } from './events.ts';
import { markDownloaded } from './recipient-queries.ts';
import type { Downloaded } from './tickets.ts';

type Deps = Pick<Context, 'db' | 'clock'>;

export type Claim = {
  /** Of the whole file or zip. */
  sizeBytes: number;
  ipAddress: string | null;
  userAgent: string | null;
  /** Whose own link was used, if any. */
  recipientId: string | null;
  /** By the owner, who need not be told of it. */
  isOwn: boolean;
};

/**
 * Counts one download before its first byte; N at once at limit M give exactly min(N, M) claims. With
 * auto-delete the last one closes the transfer to new downloads. Returns the id of the download.
 * Throws AppError `transfer_used_up`.
 */
export function claimDownload({ db, clock }: Deps, downloaded: Downloaded, claim: Claim): Promise<string> {
  const { transferId, fileId, selection } = downloaded;
  const { isOwn, ...row } = claim;
  const downloadId = randomId();
  const now = clock.now();
  const isWhole = fileId === null && selection === null;
  return transaction(db, async (trx) => {
    const taken = await takeDownload(trx, { transferId, isWhole, now });
    // Deleted, expired or taken down since the gate was passed is used up just as well.
    if (!taken) throw new AppError('transfer_used_up');
    const counted = { ...downloaded, zipNumber: isWhole ? taken.zipCount : null };
    const noticedAt = isOwn ? now : null;
    await insertDownload(trx, {
      id: downloadId,
      downloadedAt: now,
      activeAt: now,
      noticedAt,
      ...counted,
      ...row,
    });
    await addToFileCounts(trx, counted, 1);
    if (taken.closedAt !== null) await enqueueClosingEnd(trx, transferId, taken.closedAt);
    return downloadId;
  });
}

/** Whether a counted download goes on; false when its place was given back meanwhile. */
export function resumeDownload({ db, clock }: Deps, downloadId: string): Promise<boolean> {
  return reviveDownload(db, { downloadId, now: clock.now() });
}

/** Notes that a download is alive and how far it has come: the furthest byte, whichever request sent it. */
export function noteReached({ db, clock }: Deps, downloadId: string, reachedBytes: number): Promise<void> {
  return updateReached(db, { downloadId, reachedBytes, now: clock.now() });
}

/** Whether the last byte of a download has been sent, by whichever of its requests. */
export function hasReachedEnd({ db }: Pick<Deps, 'db'>, downloadId: string): Promise<boolean> {
  return isDelivered(db, downloadId);
}

/** Notes that all of a download was sent, and by whom; a closed transfer goes with the last of them. */
export async function completeDownload(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'wakeWorker'>,
  downloadId: string,
): Promise<void> {
  const { db, clock } = context;
  // A commit of its own: of two that end at once, at least one then sees the other's end.
  const now = clock.now();
  const completed = await transaction(db, async (trx) => {
    const download = await completeDownloadRow(trx, { downloadId, now });
    if (!download) return undefined;
    const { transferId, recipientId } = download;
    const isFirst = recipientId !== null && (await markDownloaded(trx, { recipientId, now }));
    return { transferId, isTold: await noteCompleted(trx, { download, isFirst, now }) };
  });
  if (!completed) return;
  if (completed.isTold) context.wakeWorker();
  await removeIfUsedUp(context, completed.transferId);
}
