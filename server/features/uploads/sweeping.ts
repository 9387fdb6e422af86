import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeLook } from '../../platform/jobs/sweep-look.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import type { StoredBlob } from '../../platform/storage/blob-store.ts';
import { areRemovalsHeld } from '../../platform/storage/removal-hold.ts';
import { removeTransfer } from '../transfers/deletion.ts';
import { holdOwnTransfer, removeEmptyDraft } from '../transfers/drafts.ts';
import { listPackKeys } from './pack-queries.ts';
import { noteSweep, SweepTally } from './sweep-notes.ts';
import {
  findNamedKeys,
  isIdleDraft,
  listIdleDrafts,
  listIdleUploads,
  listUninvitedDrafts,
} from './sweep-queries.ts';
import { discardUpload } from './unfinished.ts';

/** An upload lapses after so long without a chunk; a draft and a blob that no row names likewise. */
export const LAPSE_MS = DAY_MS;

const BATCH = 200;

/**
 * Removes what nobody will finish: idle uploads with their reservations, drafts in which nothing happens, those
 * of visitors whose invitation is gone, and blobs without a row. After the clock leapt (or the server was off for long) a look removes nothing: only
 * the next one, a sweep later, believes it. By then what is alive has shown it.
 */
export async function sweepUploads(context: Context): Promise<void> {
  await removeUninvitedDrafts(context);
  if (!(await takeLook(context, 'uploads'))) return;
  const idleSince = context.clock.now() - LAPSE_MS;
  const tally = new SweepTally();
  await discardIdleUploads(context, { idleSince, tally });
  await removeIdleDrafts(context, idleSince);
  await removeOrphans(context, { olderThan: idleSince, tally });
  await noteSweep(context, tally);
}

/** An invitation that is gone does not come back, whatever the clock says. */
async function removeUninvitedDrafts({ db, wakeWorker }: Context): Promise<void> {
  for (let afterId = ''; ; ) {
    const drafts = await listUninvitedDrafts(db, { afterId, limit: BATCH });
    for (const { id } of drafts) await transaction(db, (trx) => removeTransfer(trx, id));
    if (drafts.length > 0) wakeWorker();
    if (drafts.length < BATCH) return;
    afterId = drafts.at(-1)!.id;
  }
}

type Idle = { idleSince: number; tally: SweepTally };

async function discardIdleUploads(context: Context, { idleSince, tally }: Idle): Promise<void> {
  const { packsSmallFiles } = context.blobs;
  for (let afterId = ''; ; ) {
    const uploads = await listIdleUploads(context.db, { idleSince, afterId, limit: BATCH });
    for (const upload of uploads) {
      const isGone = await unlessGone(() => discardUpload(context, upload, { idleSince }));
      // A small one leaves a hole in its pack, and nothing is free before that goes.
      if (!isGone && (upload.chunkCount > 1 || !packsSmallFiles)) tally.addFreed(upload.sizeBytes);
    }
    if (uploads.length < BATCH) return;
    afterId = uploads.at(-1)!.id;
  }
}

async function removeIdleDrafts(context: Context, idleSince: number): Promise<void> {
  for (let afterId = ''; ; ) {
    const drafts = await listIdleDrafts(context.db, { idleSince, afterId, limit: BATCH });
    for (const draft of drafts) await unlessGone(() => removeIdleDraft(context, draft, idleSince));
    if (drafts.length < BATCH) return;
    afterId = drafts.at(-1)!.id;
  }
}

/** An empty one goes at once; one with files goes like any transfer: marked, then its bytes by a job. */
async function removeIdleDraft(
  { db, blobs, wakeWorker }: Context,
  draft: { id: string; userId: string },
  idleSince: number,
): Promise<void> {
  const packKeys = await transaction(db, async (trx) => {
    const { status } = await holdOwnTransfer(trx, draft.userId, draft.id);
    if (status !== 'draft' || !(await isIdleDraft(trx, draft.id, idleSince))) return [];
    const keys = await listPackKeys(trx, draft.id);
    if (await removeEmptyDraft(trx, draft.id)) return keys;
    await removeTransfer(trx, draft.id);
    return [];
  });
  for (const key of packKeys) await blobs.remove(key);
  wakeWorker();
}

type Orphans = { olderThan: number; tally: SweepTally };

/** Blobs that a crash left without a row, or whose row went with its owner; young ones may yet get theirs. */
async function removeOrphans(context: Context, { olderThan, tally }: Orphans): Promise<void> {
  const { db, blobs, log } = context;
  let batch: StoredBlob[] = [];
  const removeUnnamed = async () => {
    const named = await findNamedKeys(
      db,
      batch.map(({ storageKey }) => storageKey),
    );
    const orphans = batch.filter(({ storageKey }) => !named.has(storageKey));
    const [old, young] = [orphans.filter(isOld), orphans.filter((blob) => !isOld(blob))];
    for (const { sizeBytes } of young) tally.addOrphaned(sizeBytes);
    // A backup may still read what a row named when it began; the next sweep comes by.
    if (await areRemovalsHeld(context)) old.length = 0;
    for (const { storageKey, sizeBytes } of old) {
      await blobs.remove(storageKey);
      tally.addFreed(sizeBytes);
    }
    if (old.length > 0) log.info({ blobs: old.length }, 'removed blobs without a row');
    batch = [];
  };
  const isOld = ({ modifiedAt }: StoredBlob) => modifiedAt < olderThan;
  for await (const blob of blobs.list()) {
    batch.push(blob);
    if (batch.length === BATCH) await removeUnnamed();
  }
  if (batch.length > 0) await removeUnnamed();
}

/** Somebody else may have removed it between the look and the act: then true. */
async function unlessGone(remove: () => Promise<unknown>): Promise<boolean> {
  try {
    await remove();
    return false;
  } catch (error) {
    if (!isAppError(error, 'transfer_not_found')) throw error;
    return true;
  }
}
