import type { TierLimits } from '../../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import type { UploadRow, UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  addFiles,
  addReservedBytes,
  selectOwnTransfer,
  subtractReservedBytes,
} from '../lifecycle/draft-queries.ts';

type Reservation = {
  owner: Pick<UserRow, 'id' | 'tier'>;
  limits: TierLimits;
  transferId: string;
  bytes: number;
  /** 'YYYY-MM' in UTC. */
  month: string;
};

/**
 * Reserves bytes in the transfer and in the month, each with one conditional statement in the caller's transaction, so
 * parallel callers never exceed a limit. Throws AppError `transfer_limit_exceeded`, `monthly_limit_exceeded`,
 * `transfer_not_found`.
 */
export async function reserveBytes(trx: Trx, reservation: Reservation): Promise<void> {
  const { owner, limits, month, bytes } = reservation;
  await reserveInTransfer(trx, { ...reservation, storagePerTransfer: limits.storagePerTransfer });
  const { monthlyTotal } = limits;
  if (await addUsage(trx, { userId: owner.id, month, bytes, monthlyTotal })) return;
  const remaining = Math.max(0, monthlyTotal - (await findUsage(trx, owner.id, month)));
  throw new AppError('monthly_limit_exceeded', {
    details: { tier: owner.tier, size: formatSize(monthlyTotal), remaining: formatSize(remaining) },
  });
}

export async function releaseBytes(
  trx: Trx,
  { userId, transferId, uploads }: { userId: string; transferId: string; uploads: UploadRow[] },
): Promise<void> {
  const reserved = uploads.filter(({ repairsFileId }) => repairsFileId === null);
  for (const [month, ofMonth] of Map.groupBy(reserved, ({ usageMonth }) => usageMonth)) {
    const bytes = ofMonth.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await subtractReservedBytes(trx, transferId, bytes);
    await subtractUsage(trx, { userId, month, bytes });
  }
}

type DocumentUsage = { userId: string; transferId: string; usageMonth: string; sizeBytes: number };

export async function releaseDocumentBytes(
  trx: Trx,
  { userId, transferId, usageMonth, sizeBytes }: DocumentUsage,
): Promise<void> {
  await subtractReservedBytes(trx, transferId, sizeBytes);
  await subtractUsage(trx, { userId, month: usageMonth, bytes: sizeBytes });
}

type TransferAddition = {
  transferId: string;
  owner: { id: string; tier: Tier };
  bytes: number;
  storagePerTransfer: number;
};

/** One conditional update. Throws AppError `transfer_limit_exceeded`, `transfer_not_found`. */
export async function reserveInTransfer(trx: Trx, addition: TransferAddition): Promise<void> {
  if (await addReservedBytes(trx, { ...addition, userId: addition.owner.id })) return;
  throw await explainRefusal(trx, addition);
}

/**
 * The bytes are already reserved; the limit is checked again because the plan at completion decides. Throws AppError
 * `transfer_limit_exceeded`, `transfer_not_found`.
 */
export async function addFilesToTransfer(
  trx: Trx,
  addition: TransferAddition & { files: number },
): Promise<void> {
  if (await addFiles(trx, { ...addition, userId: addition.owner.id })) return;
  throw await explainRefusal(trx, addition);
}

async function explainRefusal(trx: Trx, addition: TransferAddition): Promise<AppError> {
  const { transferId, owner, storagePerTransfer } = addition;
  if (!(await selectOwnTransfer(trx, owner.id, transferId))) return new AppError('transfer_not_found');
  return transferLimitExceeded(owner, storagePerTransfer);
}

export function transferLimitExceeded({ tier }: { tier: Tier }, storagePerTransfer: number): AppError {
  return new AppError('transfer_limit_exceeded', { details: { tier, size: formatSize(storagePerTransfer) } });
}

type Usage = { userId: string; month: string; bytes: number };

async function addUsage(
  trx: Trx,
  { userId, month, bytes, monthlyTotal }: Usage & { monthlyTotal: number },
): Promise<boolean> {
  if (bytes > monthlyTotal) return false;
  const row = await trx
    .insertInto('monthlyUsage')
    .values({ userId, month, bytes })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'month'])
        .doUpdateSet((eb) => ({ bytes: eb('monthlyUsage.bytes', '+', bytes) }))
        .where('monthlyUsage.bytes', '<=', monthlyTotal - bytes),
    )
    .returning('bytes')
    .executeTakeFirst();
  return row !== undefined;
}

export async function subtractUsage(trx: Trx, { userId, month, bytes }: Usage): Promise<void> {
  await trx
    .updateTable('monthlyUsage')
    .set((eb) => ({ bytes: eb('bytes', '-', bytes) }))
    .where('userId', '=', userId)
    .where('month', '=', month)
    .execute();
}

export async function findUsage(trx: Db, userId: string, month: string): Promise<number> {
  const row = await trx
    .selectFrom('monthlyUsage')
    .select('bytes')
    .where('userId', '=', userId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

export async function releaseUnfinished(trx: Trx, transferId: string): Promise<void> {
  const shares = await trx
    .selectFrom('uploads')
    .select(({ fn }) => ['userId', 'usageMonth as month', fn.sum<number>('sizeBytes').as('bytes')])
    .where('transferId', '=', transferId)
    .where('state', '=', 'open')
    .where('repairsFileId', 'is', null)
    .groupBy(['userId', 'usageMonth'])
    .execute();
  for (const share of shares) await subtractUsage(trx, share);
}
