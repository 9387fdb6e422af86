import { setImmediate } from 'node:timers/promises';
import type { BatchResult, ExtendedResult } from '../../../contracts/transfers/transfer-batches.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { toIsoOrNull } from '../../platform/lib/clock.ts';
import { editTransfer } from './settings/edit-transfer.ts';
import { deleteTransfer, restoreTransfer } from './transfers.ts';

type Batch = { transferIds: string[]; user: Pick<UserRow, 'id' | 'tier'> };

export async function deleteBatch(
  context: Context,
  { transferIds, user }: Batch,
  { isUndoable }: { isUndoable: boolean },
): Promise<BatchResult[]> {
  const results = await runBatch(transferIds, (transferId) =>
    deleteTransfer(context, { transferId, userId: user.id }, { isUndoable }),
  );
  return results.map(({ result }) => result);
}

export async function restoreBatch(context: Context, { transferIds, user }: Batch): Promise<BatchResult[]> {
  const results = await runBatch(transferIds, (transferId) =>
    restoreTransfer(context, { transferId, userId: user.id }),
  );
  return results.map(({ result }) => result);
}

export async function extendBatch(
  context: Context,
  { transferIds, user }: Batch,
  { expirationDays, address }: { expirationDays: number; address: string },
): Promise<ExtendedResult[]> {
  const changes = { expirationDays };
  const results = await runBatch(transferIds, (transferId) =>
    editTransfer(context, { transferId, sender: user, changes, address }),
  );
  return results.map(({ result, outcome }) => ({
    ...result,
    expiresAt: toIsoOrNull(outcome?.expiresAt ?? null),
  }));
}

type Done<Outcome> = { result: BatchResult; outcome?: Outcome };

/** Each transfer has a transaction of its own. Refusals become results; other errors end the batch. */
async function runBatch<Outcome>(
  transferIds: string[],
  act: (transferId: string) => Promise<Outcome>,
): Promise<Done<Outcome>[]> {
  const done: Done<Outcome>[] = [];
  for (const transferId of new Set(transferIds)) {
    try {
      const outcome = await act(transferId);
      done.push({ result: { transferId, error: null }, outcome });
    } catch (error) {
      if (!isAppError(error)) throw error;
      done.push({ result: { transferId, error: { code: error.code, detail: error.message } } });
    }
    // SQLite blocks this thread, so let requests run in between.
    await setImmediate();
  }
  return done;
}
