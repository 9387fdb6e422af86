import type { AdminTransfer } from '../../../../contracts/admin/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  extendTransfers,
  type FateContext,
  removeTransfers,
  reopenTransfer,
  takeDownTransfer,
} from '../../transfers/index.ts';
import { type Act, type By, recordActs } from '../audit.ts';
import { presentForAdmin } from './transfer-list.ts';
import {
  findTransferNames,
  findUsernames,
  selectShownTransfers,
  settleReportsOf,
} from './transfer-queries.ts';

type Batch = { ids: string[]; by: By };

/** Ignores unknown ids. Returns how many were deleted. */
export async function deleteTransfers(context: Context, { ids, by }: Batch): Promise<number> {
  const { db } = context;
  const removed = await transaction(db, async (trx) => {
    const transfers = await removeTransfers({ ...context, db: trx }, ids);
    await recordTransferActs(trx, { by, action: 'transfer.delete', transfers });
    return transfers.length;
  });
  return removed;
}

export async function deleteAnyTransfer(context: Context, { id, by }: { id: string; by: By }): Promise<void> {
  if ((await deleteTransfers(context, { ids: [id], by })) === 0) throw new AppError('transfer_not_found');
}

/** Ignores unknown and repeated ids. Returns how many were extended. */
export function extendMany({ db }: Context, { ids, by, days }: Batch & { days: number }): Promise<number> {
  return transaction(db, async (trx) => {
    const transfers = await extendTransfers(trx, { ids, days, now: by.at });
    await recordTransferActs(trx, { by, action: 'transfer.extend', transfers, details: { days } });
    return transfers.length;
  });
}

export async function extendOne(
  context: Context,
  { id, by, days }: { id: string; by: By; days: number },
): Promise<AdminTransfer> {
  if ((await extendMany(context, { ids: [id], by, days })) === 0) throw new AppError('transfer_not_found');
  return getForAdmin(context, id);
}

export async function setTakenDown(
  context: Context,
  { id, by, isTakenDown }: { id: string; by: By; isTakenDown: boolean },
): Promise<AdminTransfer> {
  await transaction(context.db, async (trx) => {
    const within = { ...context, db: trx };
    if (isTakenDown) return takeDown(within, { transferId: id, by });
    const transfer = await reopenTransfer(within, id);
    if (!transfer) throw new AppError('transfer_not_found');
    await recordTransferActs(trx, { by, action: 'transfer.reopen', transfers: [transfer] });
  });
  return getForAdmin(context, id);
}

export async function takeDown(
  context: FateContext,
  { transferId, by, details = {} }: { transferId: string; by: By; details?: Record<string, unknown> },
): Promise<void> {
  const { db: trx } = context;
  const transfer = await takeDownTransfer(context, { transferId, now: by.at });
  if (!transfer) throw new AppError('transfer_not_found');
  const reports = await settleReportsOf(trx, { transferId, now: by.at });
  const all = { ...details, settledReports: reports };
  await recordTransferActs(trx, { by, action: 'transfer.take-down', transfers: [transfer], details: all });
}

type TransferActs = Pick<Act, 'action' | 'details'> & {
  by: By;
  transfers: Pick<TransferRow, 'id' | 'userId'>[];
};

/** One entry per transfer, so that each transfer's history can be searched. */
async function recordTransferActs(trx: Trx, { by, action, transfers, details }: TransferActs): Promise<void> {
  if (transfers.length === 0) return;
  const usernames = await findUsernames(trx, [...new Set(transfers.map(({ userId }) => userId))]);
  const names = await findTransferNames(
    trx,
    transfers.map(({ id }) => id),
  );
  const acts = transfers.map((transfer) => ({
    ...by,
    action,
    subject: names.get(transfer.id)!,
    subjectId: transfer.id,
    details: { owner: usernames.get(transfer.userId), ...details },
  }));
  await recordActs(trx, acts);
}

async function getForAdmin({ db, clock }: Context, id: string): Promise<AdminTransfer> {
  const [row] = await selectShownTransfers(db, [id]);
  if (!row) throw new AppError('transfer_not_found');
  return presentForAdmin(row, clock.now());
}
