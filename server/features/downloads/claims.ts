import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import {
  addToFileCounts,
  completeDownloadRow,
  insertDownload,
  isCounted,
  isDelivered,
  isUnlimited,
  reviveDownload,
  takeDownload,
  updateReached,
} from './claim-queries.ts';
import { enqueueClosingEnd, removeIfUsedUp } from './closing.ts';
import { delayedClaimsOf } from './delayed-claims.ts';
import { noteCompleted } from './events.ts';
import { markDownloaded } from './recipient-queries.ts';
import type { Downloaded } from './tickets.ts';

type Deps = Pick<Context, 'db' | 'clock'>;
type CompletionDeps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log'>;

const CANNOT_COUNT =
  'The server has no storage left to count this download, and its number is limited. Please try again later.';

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
 *
 * On a disk too full to save the claim, a download of a transfer without a limit is counted in memory and saved
 * later. A limit must be exact, so there it is refused. Throws AppError `transfer_used_up`, `storage_full`.
 */
export async function claimDownload(
  context: CompletionDeps,
  downloaded: Downloaded,
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
          else await noteReached(context, downloadId, reached);
        },
      });
    if (!isDelayed) throw new AppError('storage_full', { message: CANNOT_COUNT, cause: error });
  }
  return downloadId;
}

type Counted = { downloadId: string; downloaded: Downloaded; claim: Claim; now: number };

function saveClaim(db: Db, { downloadId, downloaded, claim, now }: Counted): Promise<void> {
  const { transferId, fileId, selection } = downloaded;
  const { isOwn, ...row } = claim;
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
  });
}

/** Whether a counted download goes on; false when its place was given back meanwhile. */
export async function resumeDownload({ db, clock }: Deps, downloadId: string): Promise<boolean> {
  if (delayedClaimsOf(db).has(downloadId)) return true;
  try {
    return await reviveDownload(db, { downloadId, now: clock.now() });
  } catch (error) {
    if (!isAppError(error, 'storage_full')) throw error;
    return isCounted(db, downloadId);
  }
}

/** How far one request of a download has come. */
export type Reached = {
  /** The position in the download up to which the system has taken its bytes. */
  reachedBytes: number;
  /** Whether so little can have reached the client that the place may be given back. */
  isReturnable: boolean;
};

/**
 * Records that a download runs and how far it has come: the furthest byte of all its requests. Once one of them has
 * said that the download keeps its place, it does.
 */
export async function noteReached({ db, clock }: Deps, downloadId: string, reached: Reached): Promise<void> {
  if (delayedClaimsOf(db).update(downloadId, reached)) return;
  await updateReached(db, { downloadId, ...reached, now: clock.now() });
}

/** Whether the last byte of a download has been sent, by whichever of its requests. */
export function hasReachedEnd({ db }: Pick<Deps, 'db'>, downloadId: string): Promise<boolean> {
  return isDelivered(db, downloadId);
}

/** Notes that all of a download was sent, and by whom; a closed transfer goes with the last of them. */
export async function completeDownload(context: CompletionDeps, downloadId: string): Promise<void> {
  const { db, clock } = context;
  if (delayedClaimsOf(db).update(downloadId, { isComplete: true })) return;
  // A commit of its own: of two that end at once, at least one then sees the other's end.
  const now = clock.now();
  const transferId = await transaction(db, async (trx) => {
    const download = await completeDownloadRow(trx, { downloadId, now });
    if (!download) return undefined;
    const { transferId, recipientId } = download;
    const isFirst = recipientId !== null && (await markDownloaded(trx, { recipientId, now }));
    await noteCompleted(trx, { download, isFirst, now });
    return transferId;
  });
  if (transferId !== undefined) await removeIfUsedUp(context, transferId);
}
