import type { OperatorContext } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { lockTransfer } from '../../platform/db/queries/lock-transfer.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { deleteAccountAsAdmin } from '../account-deletion/index.ts';
import { lockAccount } from '../accounts/index.ts';
import { removeTransfer } from '../transfers/index.ts';
import { markOfTransfer, markOfUser } from './marks.ts';
import {
  deleteImport,
  deleteItem,
  deleteStagedBlobs,
  type ImportRow,
  type ItemRow,
  listItems,
  listStagedBlobs,
} from './queries.ts';

const PAGE = 100;

export type Kept = { kind: ItemRow['kind']; id: string; name: string; reason: string };

export type UndoTally = {
  transfers: number;
  users: number;
  /** Blobs of a transfer whose import was interrupted. */
  blobs: number;
  keptTransfers: number;
  keptUsers: number;
};

/**
 * Deletes what the import created and nobody has used since, by the ordinary rules: jobs of the server remove the bytes
 * and the rows. Reports what it keeps, which stays recorded, so a later run neither imports it again nor forgets it. Can
 * be interrupted and run again.
 */
export async function undoImport(
  context: OperatorContext,
  { id: importId }: ImportRow,
  onKept: (kept: Kept) => void,
): Promise<UndoTally> {
  const tally: UndoTally = { transfers: 0, users: 0, blobs: 0, keptTransfers: 0, keptUsers: 0 };
  tally.blobs = await removeStagedBlobs(context, importId);
  for (const kind of ['transfer', 'user'] as const) {
    for (let after = ''; ; ) {
      const items = await listItems(context.db, { importId, kind, after, limit: PAGE });
      for (const item of items) {
        const outcome = await transaction(context.db, (trx) => undoItem(trx, context, item));
        if (outcome === 'deleted') tally[kind === 'user' ? 'users' : 'transfers'] += 1;
        if (typeof outcome === 'string') continue;
        tally[kind === 'user' ? 'keptUsers' : 'keptTransfers'] += 1;
        onKept(outcome);
      }
      if (items.length < PAGE) break;
      after = items.at(-1)!.sourceId;
    }
  }
  if (tally.keptTransfers + tally.keptUsers === 0)
    await transaction(context.db, (trx) => deleteImport(trx, importId));
  return tally;
}

async function removeStagedBlobs({ db, blobs }: OperatorContext, importId: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const staged = await listStagedBlobs(db, { importId, limit: PAGE });
    const sourceIds = staged.map(({ sourceId }) => sourceId);
    // Rows first, because a run of the import may be making a transfer of the same blobs. If this is interrupted, the
    // sweep finds the blobs without a row.
    const keys = await transaction(db, (trx) => deleteStagedBlobs(trx, { importId, sourceIds }));
    for (const storageKey of keys) await blobs.remove(storageKey);
    removed += keys.length;
    if (staged.length < PAGE) return removed;
  }
}

/** 'forgotten': there was nothing to delete. */
type Outcome = 'deleted' | 'forgotten' | Kept;

async function undoItem(trx: Trx, context: OperatorContext, item: ItemRow): Promise<Outcome> {
  return item.kind === 'transfer' ? undoTransfer(trx, context, item) : undoUser(trx, context, item);
}

async function undoTransfer(trx: Trx, context: OperatorContext, item: ItemRow): Promise<Outcome> {
  const { targetId: id } = item;
  // Locked, so that nobody downloads or edits the transfer between the check and its removal.
  const transfer = await lockTransfer(trx, id);
  if (transfer && markOfTransfer(transfer) !== item.mark)
    return {
      kind: 'transfer',
      id,
      name: transfer.title ?? transfer.token,
      reason: 'edited or downloaded since',
    };
  await deleteItem(trx, item);
  if (!transfer) return 'forgotten';
  await removeTransfer({ ...context, db: trx }, id, { cause: 'deleted-by-admin' });
  return 'deleted';
}

async function undoUser(trx: Trx, context: OperatorContext, item: ItemRow): Promise<Outcome> {
  const { targetId: id, state } = item;
  const user = state === 'joined' ? undefined : await lockAccount(trx, id);
  if (user) {
    const keep = (reason: string): Kept => ({ kind: 'user', id, name: user.username, reason });
    if (markOfUser(user) !== item.mark) return keep('changed since');
    if (await hasEverSignedIn(trx, id)) return keep('signed in since');
    if (await ownsTransfers(trx, id)) return keep('has transfers that are kept');
    try {
      await deleteAccountAsAdmin({ ...context, db: trx }, id, { isSilent: true });
    } catch (error) {
      if (!isAppError(error, 'last_admin')) throw error;
      return keep('the last administrator');
    }
  }
  await deleteItem(trx, item);
  return user ? 'deleted' : 'forgotten';
}

async function hasEverSignedIn(db: Db, userId: string): Promise<boolean> {
  const has = (table: 'sessions' | 'accountEvents') =>
    db.selectFrom(table).select('id').where('userId', '=', userId).limit(1).executeTakeFirst();
  return Boolean((await has('sessions')) ?? (await has('accountEvents')));
}

async function ownsTransfers(db: Db, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom('transfers')
    .select('id')
    .where('userId', '=', userId)
    .where('status', 'in', ['draft', ...PUBLIC_STATUSES])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
