import { decodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { recordTransferEvent } from '../../transfers/index.ts';
import type { DownloadContent } from '../access/cookies.ts';
import { findRecipientEmail, markDownloaded } from '../access/personal-links.ts';
import {
  addToFileCounts,
  type CompletedDownload,
  claimPlace,
  completeDownloadRow,
  insertDownload,
  isCounted,
  isUnlimited,
  resumeDownloadRow,
  updateReached,
} from './claim-queries.ts';
import { delayedClaimsOf } from './delayed-claims.ts';
import { removeIfUsedUp, scheduleRemoval } from './used-up-transfers.ts';

type Deps = Pick<Context, 'db' | 'clock'>;
type CompletionDeps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log'>;

const CANNOT_COUNT =
  'The server has no storage left to count this download, and its number is limited. Please try again later.';

type Claim = {
  /** Of the whole file or zip. */
  sizeBytes: number;
  ipAddress: string | null;
  userAgent: string | null;
  recipientId: string | null;
  /** Owners aren't notified of their own downloads. */
  isOwn: boolean;
};

/**
 * Counts one download before its first byte and returns its id. N concurrent calls at limit M make exactly min(N, M)
 * claims. With auto-delete, the last claim closes the transfer. On a full disk, a claim without a download limit is
 * kept in memory and saved later; with a limit, which must be exact, it is refused. Throws AppError
 * `transfer_used_up`, `storage_full`.
 */
export async function claimDownload(
  context: CompletionDeps,
  downloaded: DownloadContent,
  claim: Claim,
): Promise<string> {
  const { db, clock } = context;
  const downloadId = randomId();
  const now = clock.now();
  const save = () => saveClaim(db, { downloadId, downloaded, claim, now });
  try {
    await save();
  } catch (error) {
    if (!isAppError(error, 'storage_full')) throw error;
    const isDelayed =
      (await isUnlimited(db, downloaded.transferId)) &&
      delayedClaimsOf(db).add(downloadId, {
        saveClaim: save,
        async saveProgress({ isComplete, ...reached }) {
          const isWhole = isComplete || reached.reachedBytes >= claim.sizeBytes;
          if (isWhole) await completeDownload(context, downloadId);
          else await recordProgress(context, downloadId, reached);
        },
      });
    if (!isDelayed) throw new AppError('storage_full', { message: CANNOT_COUNT, cause: error });
  }
  return downloadId;
}

type Counted = { downloadId: string; downloaded: DownloadContent; claim: Claim; now: number };

function saveClaim(db: Db, { downloadId, downloaded, claim, now }: Counted): Promise<void> {
  const { transferId, fileId, selection } = downloaded;
  const { isOwn, ...row } = claim;
  const isWhole = fileId === null && selection === null;
  return transaction(db, async (trx) => {
    const claimed = await claimPlace(trx, { transferId, isWhole, now });
    // The transfer may also have been deleted, expired or taken down since the access check.
    if (!claimed) throw new AppError('transfer_used_up');
    const counted = { ...downloaded, zipNumber: isWhole ? claimed.zipCount : null };
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
    if (claimed.closedAt !== null) await scheduleRemoval(trx, transferId, claimed.closedAt);
  });
}

/** Returns false if the place was returned. */
export async function resumeDownload({ db, clock }: Deps, downloadId: string): Promise<boolean> {
  if (delayedClaimsOf(db).has(downloadId)) return true;
  try {
    return await resumeDownloadRow(db, { downloadId, now: clock.now() });
  } catch (error) {
    if (!isAppError(error, 'storage_full')) throw error;
    return isCounted(db, downloadId);
  }
}

export type DownloadProgress = {
  /** Offset up to which the operating system has accepted the bytes. */
  reachedBytes: number;
  /** Whether so little can have reached the client that the place may be returned. */
  isReturnable: boolean;
};

export async function recordProgress(
  { db, clock }: Deps,
  downloadId: string,
  reached: DownloadProgress,
): Promise<void> {
  if (delayedClaimsOf(db).update(downloadId, reached)) return;
  await updateReached(db, { downloadId, ...reached, now: clock.now() });
}

/** Also removes a closed transfer after its last download. */
export async function completeDownload(context: CompletionDeps, downloadId: string): Promise<void> {
  const { db, clock } = context;
  if (delayedClaimsOf(db).update(downloadId, { isComplete: true })) return;
  // A separate transaction: of two downloads that end at the same time, at least one then sees the other's end.
  const now = clock.now();
  const transferId = await transaction(db, async (trx) => {
    const download = await completeDownloadRow(trx, { downloadId, now });
    if (!download) return undefined;
    const { transferId, recipientId } = download;
    const isFirst = recipientId !== null && (await markDownloaded(trx, { recipientId, now }));
    await recordCompletionEvents(trx, { download, isFirst, now });
    return transferId;
  });
  if (transferId !== undefined) await removeIfUsedUp(context, transferId);
}

type Completion = {
  download: CompletedDownload;
  isFirst: boolean;
  now: number;
};

/** Runs in the transaction that completes the download. Costs one or two index lookups without webhooks. */
async function recordCompletionEvents(trx: Trx, { download, isFirst, now }: Completion): Promise<void> {
  const { transferId, recipientId, noticedAt } = download;
  // Already set for the owner's own downloads.
  if (noticedAt !== null) return;
  const email = async () => (recipientId === null ? undefined : await findRecipientEmail(trx, recipientId));
  await recordTransferEvent(trx, transferId, {
    type: 'transfer.downloaded',
    more: async () => ({ download: describe(download, (await email()) ?? null, now) }),
    now,
  });
  if (!isFirst) return;
  await recordTransferEvent(trx, transferId, {
    type: 'transfer.completed',
    more: async () => ({ recipient: { email: (await email()) ?? '', downloadedAt: toIso(now) } }),
    now,
  });
}

function describe(
  { id, downloadedAt, fileId, selection }: CompletedDownload,
  recipientEmail: string | null,
  completedAt: number,
) {
  return {
    id,
    downloadedAt: toIso(downloadedAt),
    completedAt: toIso(completedAt),
    fileId,
    selectedFiles: selection === null ? null : (decodeSelection(selection)?.length ?? null),
    recipientEmail,
  };
}
