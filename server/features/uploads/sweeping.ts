import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeLook } from '../../platform/jobs/sweep-look.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { removeTransfer } from '../transfers/deletion.ts';
import { holdOwnTransfer, removeEmptyDraft } from '../transfers/drafts.ts';
import { listPackKeys } from './pack-queries.ts';
import {
  findNamedKeys,
  isIdleDraft,
  listIdleDrafts,
  listIdleUploads,
  listUninvitedDrafts,
} from './sweep-queries.ts';
import { discardUpload } from './unfinished.ts';

/** An upload lapses after so long without a chunk; a draft and a blob that no row names likewise. */
const LAPSE_MS = DAY_MS;

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
  await discardIdleUploads(context, idleSince);
  await removeIdleDrafts(context, idleSince);
  await removeOrphans(context, idleSince);
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

async function discardIdleUploads(context: Context, idleSince: number): Promise<void> {
  for (let afterId = ''; ; ) {
    const uploads = await listIdleUploads(context.db, { idleSince, afterId, limit: BATCH });
    for (const upload of uploads) await unlessGone(() => discardUpload(context, upload, { idleSince }));
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

/** A blob that a crash left without a row, or whose row went with its owner. */
async function removeOrphans({ db, blobs, log }: Context, olderThan: number): Promise<void> {
  let keys: string[] = [];
  const removeUnnamed = async () => {
    const named = await findNamedKeys(db, keys);
    const orphans = keys.filter((key) => !named.has(key));
    for (const key of orphans) await blobs.remove(key);
    if (orphans.length > 0) log.info({ blobs: orphans.length }, 'removed blobs without a row');
    keys = [];
  };
  for await (const { storageKey, modifiedAt } of blobs.list()) {
    if (modifiedAt < olderThan) keys.push(storageKey);
    if (keys.length === BATCH) await removeUnnamed();
  }
  if (keys.length > 0) await removeUnnamed();
}

/** Somebody else may have removed it between the look and the act. */
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isAppError(error, 'transfer_not_found')) throw error;
  }
}
