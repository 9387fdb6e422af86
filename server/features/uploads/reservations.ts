import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UploadRow, UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import {
  addUsage,
  findUsage,
  releaseInTransfer,
  reserveInTransfer,
  subtractUsage,
} from '../transfers/index.ts';

export type Reservation = {
  owner: Pick<UserRow, 'id' | 'tier'>;
  limits: TierLimits;
  transferId: string;
  bytes: number;
  /** 'YYYY-MM' in UTC. */
  month: string;
};

/**
 * Sets bytes aside in the transfer and in the month, both in the caller's transaction and each by one
 * conditional statement, so that parallel callers never overshoot. Throws AppError
 * `transfer_limit_exceeded`, `monthly_limit_exceeded`, `transfer_not_found`.
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

/** Gives an unfinished upload's bytes back to its transfer and its month. A repair has reserved none. */
export async function releaseBytes(trx: Trx, upload: UploadRow): Promise<void> {
  const { userId, transferId, usageMonth, sizeBytes, repairsFileId } = upload;
  if (repairsFileId !== null) return;
  await releaseInTransfer(trx, transferId, sizeBytes);
  await subtractUsage(trx, { userId, month: usageMonth, bytes: sizeBytes });
}
