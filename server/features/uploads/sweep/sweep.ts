import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import {
  lockOwnTransfer,
  recordTransferFates,
  removeEmptyDraft,
  removeTransfer,
} from '../../transfers/index.ts';
import { listPackKeys } from '../core/places.ts';
import { discardUpload, UNFINISHED_LIFETIME_MS } from '../core/unfinished-uploads.ts';
import { sweepOrphans, sweepTrash } from './orphans.ts';
import { isIdleDraft, listIdleDrafts, listIdleUploads, listUninvitedDrafts } from './queries.ts';
import { recordSweep, SweepTally } from './records.ts';

const BATCH = 200;

const MAX_PER_SWEEP = 10_000;

/**
 * Removes idle uploads with their reservations, idle drafts, and visitors' drafts whose invitation was deleted. Moves
 * blobs without a row into the trash and empties it. While `ClockGuard` does not trust the clock, it only counts, and
 * restores blobs from the trash that a row names.
 */
export async function sweepUploads(context: Context): Promise<void> {
  await removeUninvitedDrafts(context);
  const now = await context.clockGuard.findTrustedNow();
  const tally = new SweepTally();
  if (now !== undefined) {
    await discardIdleUploads(context, { idleSince: now - UNFINISHED_LIFETIME_MS, tally });
    await removeIdleDrafts(context, now - UNFINISHED_LIFETIME_MS);
  }
  await sweepTrash(context, { now, tally });
  await sweepOrphans(context, {
    olderThan: (now ?? context.clock.now()) - UNFINISHED_LIFETIME_MS,
    now,
    tally,
  });
  await recordSweep(context, tally);
}

/** Needs no trusted clock, because a deleted invitation never comes back. */
async function removeUninvitedDrafts(context: Context): Promise<void> {
  const { db } = context;
  for (let afterId = ''; ; ) {
    const drafts = await listUninvitedDrafts(db, { afterId, limit: BATCH });
    for (const { id } of drafts)
      await transaction(db, (trx) =>
        removeTransfer({ ...context, db: trx }, id, { cause: 'invitation-deleted' }),
      );
    if (drafts.length < BATCH) return;
    afterId = drafts.at(-1)!.id;
  }
}

type Idle = { idleSince: number; tally: SweepTally };

async function discardIdleUploads(context: Context, { idleSince, tally }: Idle): Promise<void> {
  const { packsSmallFiles } = context.blobs;
  for (let afterId = '', count = 0; count < MAX_PER_SWEEP; ) {
    const uploads = await listIdleUploads(context.db, { idleSince, afterId, limit: BATCH });
    for (const upload of uploads) {
      const isGone = await unlessRemoved(() => discardUpload(context, upload, { cause: 'idle', idleSince }));
      // A small upload leaves a hole in its pack, which is freed with the pack.
      if (!isGone && (upload.chunkCount > 1 || !packsSmallFiles)) tally.addFreed(upload.sizeBytes);
    }
    if (uploads.length < BATCH) return;
    count += uploads.length;
    afterId = uploads.at(-1)!.id;
  }
}

async function removeIdleDrafts(context: Context, idleSince: number): Promise<void> {
  for (let afterId = '', count = 0; count < MAX_PER_SWEEP; ) {
    const drafts = await listIdleDrafts(context.db, { idleSince, afterId, limit: BATCH });
    for (const draft of drafts) await unlessRemoved(() => removeIdleDraft(context, draft, idleSince));
    if (drafts.length < BATCH) return;
    count += drafts.length;
    afterId = drafts.at(-1)!.id;
  }
}

async function removeIdleDraft(
  context: Context,
  draft: { id: string; userId: string },
  idleSince: number,
): Promise<void> {
  const { db, blobs } = context;
  const packKeys = await transaction(db, async (trx) => {
    const within = { ...context, db: trx };
    const transfer = await lockOwnTransfer(trx, draft.userId, draft.id);
    if (transfer.status !== 'draft' || (transfer.arrivalStoppedAt ?? 0) >= idleSince) return [];
    if (!(await isIdleDraft(trx, draft.id, idleSince))) return [];
    const keys = await listPackKeys(trx, draft.id);
    if (await removeEmptyDraft(trx, draft.id)) {
      await recordTransferFates(within, 'idle', [transfer]);
      return keys;
    }
    await removeTransfer(within, draft.id, { cause: 'idle' });
    return [];
  });
  for (const key of packKeys) await blobs.remove(key);
}

async function unlessRemoved(remove: () => Promise<unknown>): Promise<boolean> {
  try {
    await remove();
    return false;
  } catch (error) {
    if (!isAppError(error, 'transfer_not_found')) throw error;
    return true;
  }
}
