import type { DeletionSafety } from '../../../../contracts/admin/system.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { confirmClock as confirmClockStop, findClockStop } from '../../../platform/jobs/clock-guard.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { findOrphanQuarantineEnd } from '../../../platform/storage/installation/removal-hold.ts';
import { confirmSweepStop, enqueueSweep, findSweepStop, isConfirmed } from '../../uploads/index.ts';
import { type By, recordAct } from '../audit.ts';

type Deps = Pick<Context, 'db' | 'clockGuard'>;

export async function findDeletionSafety({ db, clockGuard }: Deps): Promise<DeletionSafety> {
  const [now, clock, sweep, quarantineEnd] = await Promise.all([
    clockGuard.readNow(),
    findClockStop(db),
    findSweepStop({ db }),
    findOrphanQuarantineEnd(db),
  ]);
  return {
    clock: clock
      ? {
          id: clock.id,
          jumpSeconds: Math.round(clock.jumpMs / SECOND_MS),
          noticedAt: toIso(clock.noticedAt),
          serverTime: toIso(now),
        }
      : null,
    sweep: sweep
      ? {
          id: sweep.id,
          since: toIso(sweep.since),
          countedAt: toIso(sweep.countedAt),
          blobs: sweep.orphans,
          bytes: sweep.bytes,
          allBlobs: sweep.blobs,
          sample: sweep.sample,
          confirmed:
            sweep.confirmed && isConfirmed(sweep, now)
              ? { by: sweep.confirmed.by, at: toIso(sweep.confirmed.at) }
              : null,
        }
      : null,
    quarantineUntil: toIsoOrNull(quarantineEnd !== undefined && quarantineEnd > now ? quarantineEnd : null),
  };
}

type Confirmation = { id: string; by: By };

/** Throws AppError `conflict` if that stop has ended. */
export async function confirmClock(context: Deps, { id, by }: Confirmation): Promise<DeletionSafety> {
  const now = await context.clockGuard.readNow();
  await transaction(context.db, async (trx) => {
    if (!(await confirmClockStop(trx, { stopId: id, now }))) throw new AppError('conflict');
    await recordAct(trx, {
      ...by,
      action: 'clock.confirm',
      subject: `that the clock is right: ${toIso(now)}`,
    });
  });
  return findDeletionSafety(context);
}

/**
 * Allows the sweep to move the orphans it found. Throws AppError `conflict` if they were recounted or already
 * confirmed.
 */
export async function confirmSweep(context: Deps, { id, by }: Confirmation): Promise<DeletionSafety> {
  const now = await context.clockGuard.readNow();
  await transaction(context.db, async (trx) => {
    const stop = await findSweepStop({ db: trx });
    const isDone = await confirmSweepStop(trx, { stopId: id, by: by.actor.username, now });
    if (!stop || !isDone) throw new AppError('conflict');
    const { orphans, bytes } = stop;
    await recordAct(trx, {
      ...by,
      action: 'sweep.confirm',
      subject: `the sweep of ${orphans} blobs without a row`,
      subjectId: id,
      details: { blobs: orphans, bytes },
    });
    await enqueueSweep(trx, by.at);
  });
  return findDeletionSafety(context);
}
