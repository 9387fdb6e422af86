import { formatSize, MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { monthOf } from '../../platform/lib/clock.ts';
import { getTierConfig, limitsOf } from '../tiers/index.ts';
import { findUsage } from '../transfers/index.ts';
import { requireFreeSpace } from './disk-reservations.ts';
import type { Uploader } from './uploader.ts';

const SPACE_ASKED_EVERY_BYTES = 64 * MIB;

/** Bytes of bodies of unknown size that are arriving at this process, by their owner. */
const arriving = new Map<string, number>();

/** Counts bytes as they come; throws at the first one too many. */
export type ArrivalCount = { add(bytes: number): Promise<void> | undefined; leave(): void };

/**
 * Holds a body of unknown size against its sender's limits while it arrives, together with all others of theirs,
 * so that they do not fill the disk with what cannot be taken. What it lets pass is judged once more where it is
 * announced. `add` throws AppError `transfer_limit_exceeded`, `monthly_limit_exceeded`, `storage_full`.
 */
export async function countArrival(
  context: Pick<Context, 'db' | 'blobs' | 'clock'>,
  { owner }: Uploader,
): Promise<ArrivalCount> {
  const { db, blobs, clock } = context;
  const { storagePerTransfer, monthlyTotal } = limitsOf(await getTierConfig(context), owner.tier);
  const remaining = Math.max(0, monthlyTotal - (await findUsage(db, owner.id, monthOf(clock.now()))));
  let mine = 0;
  let untilAsked = SPACE_ASKED_EVERY_BYTES;
  const count = (bytes: number) => {
    mine += bytes;
    const all = (arriving.get(owner.id) ?? 0) + bytes;
    if (all > 0) arriving.set(owner.id, all);
    else arriving.delete(owner.id);
    return all;
  };
  return {
    add(bytes) {
      const all = count(bytes);
      const { tier } = owner;
      if (mine > storagePerTransfer)
        throw new AppError('transfer_limit_exceeded', {
          details: { tier, size: formatSize(storagePerTransfer) },
        });
      if (all > remaining)
        throw new AppError('monthly_limit_exceeded', {
          details: { tier, size: formatSize(monthlyTotal), remaining: formatSize(remaining) },
        });
      untilAsked -= bytes;
      if (untilAsked > 0) return undefined;
      untilAsked = SPACE_ASKED_EVERY_BYTES;
      return requireFreeSpace({ blobs }, 0);
    },
    leave: () => void count(-mine),
  };
}
