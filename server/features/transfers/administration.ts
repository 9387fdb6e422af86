import type { Trx } from '../../platform/db/open.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { dropMailsOfTransfers } from '../../platform/mail/outbox.ts';
import {
  type ActedOn,
  findReadyTransfer,
  lockReadyTransfers,
  markReadyAsDeleting,
  prolongReady,
  sumUnfinished,
  updateTakenDown,
} from './administration-queries.ts';
import { removeTransferDataJob } from './deletion.ts';
import { type FateContext, recordTransferFates } from './fates.ts';
import { subtractUsage } from './usage.ts';

/**
 * As `removeTransfer`, for many public ones in few statements. Returns those that this call has deleted; what
 * is unknown, gone, or not public is passed over.
 */
export async function removeTransfers(context: FateContext, ids: string[]): Promise<ActedOn[]> {
  const { db: trx } = context;
  const held = await lockReadyTransfers(trx, ids);
  if (held.length === 0) return [];
  const removed = await markReadyAsDeleting(trx, held);
  await recordTransferFates(context, 'deleted-by-admin', removed);
  const gone = removed.map(({ id }) => id);
  for (const share of await sumUnfinished(trx, gone)) await subtractUsage(trx, share);
  await dropMailsOfTransfers(trx, gone);
  await enqueueAll(
    trx,
    removeTransferDataJob,
    gone.map((transferId) => ({ payload: { transferId }, uniqueKey: transferId })),
  );
  return removed;
}

/**
 * Lets public transfers live so many days longer, each from its present end, an expired one from now: while
 * its data is there that opens it again. The plan's retention does not bind an administrator. Returns those
 * that were extended; what is unknown or gone is passed over.
 */
export async function extendTransfers(
  trx: Trx,
  { ids, days, now }: { ids: string[]; days: number; now: number },
): Promise<ActedOn[]> {
  const held = await lockReadyTransfers(trx, ids);
  if (held.length === 0) return [];
  return prolongReady(trx, { ids: held, addedMs: days * DAY_MS, now });
}

/** Closes a transfer to everybody but its owner; what waits to be mailed about it is not sent any more. */
export async function takeDownTransfer(
  context: FateContext,
  { transferId, now }: { transferId: string; now: number },
): Promise<ActedOn | undefined> {
  const { db: trx } = context;
  const closed = await updateTakenDown(trx, { transferId, takenDownAt: now });
  if (!closed) return findReadyTransfer(trx, transferId);
  await recordTransferFates(context, 'taken-down', [closed]);
  await dropMailsOfTransfers(trx, [transferId]);
  return closed;
}

/** The reverse; mails that were dropped stay so. Like it, undefined for what is unknown or gone. */
export async function reopenTransfer(context: FateContext, transferId: string): Promise<ActedOn | undefined> {
  const reopened = await updateTakenDown(context.db, { transferId, takenDownAt: null });
  if (!reopened) return findReadyTransfer(context.db, transferId);
  await recordTransferFates(context, 'reopened', [reopened]);
  return reopened;
}
