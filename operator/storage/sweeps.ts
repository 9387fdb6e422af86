import { Argument } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { wholeNumber } from '../../command-line/program.ts';
import { HOUR_MS } from '../../contracts/values/durations.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { findDeletionSafety } from '../../server/features/admin/index.ts';
import {
  confirmSweepStop,
  enqueueSweep,
  findSweepReport,
  findSweepStop,
} from '../../server/features/uploads/index.ts';
import { transaction } from '../../server/platform/db/transaction.ts';
import { confirmClock as confirmClockStop, findClockStop } from '../../server/platform/jobs/clock-guard.ts';
import { toIso } from '../../server/platform/lib/clock.ts';
import type { Command, CommandCall } from '../command.ts';

const CONFIRMED_BY = 'operator command';

export const sweepStatus: Command = {
  name: 'sweep-status',
  summary: 'Show the contents of the trash and what blocks deletion',
  details: ['Exit code 3 means that deletion waits for your confirmation.'],
  async run(call) {
    const context = await call.open();
    // Detects a clock jump even if no server is running.
    await context.clockGuard.check();
    const safety = await findDeletionSafety(context);
    const lastSweep = await findSweepReport(context);
    const { clock, sweep, quarantineUntil } = safety;
    const lines = [
      lastSweep
        ? `Last sweep ${toIso(lastSweep.at)}: ${lastSweep.orphanedBlobs} blobs without a row (${formatSize(lastSweep.orphanedBytes)}), ${lastSweep.trashedBlobs} in the trash (${formatSize(lastSweep.trashedBytes)}).`
        : 'No sweep has run yet.',
      ...(quarantineUntil ? [`Blobs without a row stay untouched until ${quarantineUntil}.`] : []),
      ...(clock ? [describeClock(clock)] : []),
      ...(sweep ? [describeSweep(sweep)] : []),
      ...(clock || sweep ? [] : ['Nothing needs your confirmation.']),
    ];
    call.report({ ...safety, lastSweep: lastSweep ?? null }, lines.join('\n'));
    return clock || (sweep && !sweep.confirmed) ? EXIT.found : EXIT.ok;
  },
};

export const confirmSweep: Command = {
  name: 'confirm-sweep',
  summary: 'Allow the sweep to move the blobs without a row to the trash',
  details: [
    'First make sure that this is the right database: sweep-status shows how many blobs have no row in it.',
    'The confirmation is valid for a day and for one sweep, which a running server starts immediately. A blob is ' +
      'restored from the trash if a row names it within seven days.',
  ],
  arguments: [
    new Argument('[count]', 'Confirm only if the sweep found exactly this many blobs').argParser(
      wholeNumber({ least: 0 }),
    ),
  ],
  async run(call: CommandCall<[number | undefined]>) {
    const [count] = call.args;
    const { db, clockGuard } = await call.open();
    const now = await clockGuard.readNow();
    const stop = await findSweepStop({ db });
    if (!stop) throw new CommandError(EXIT.failed, 'No sweep waits for a confirmation.');
    if (count !== undefined && count !== stop.orphans)
      throw new CommandError(
        EXIT.failed,
        `The sweep found ${stop.orphans} blobs without a row, not ${count}.`,
      );
    const isConfirmed = await transaction(db, async (trx) => {
      if (!(await confirmSweepStop(trx, { stopId: stop.id, by: CONFIRMED_BY, now }))) return false;
      await enqueueSweep(trx, now);
      return true;
    });
    if (!isConfirmed)
      throw new CommandError(
        EXIT.failed,
        'This sweep was already confirmed, or the blobs were counted again. Run sweep-status.',
      );
    call.report(
      { blobs: stop.orphans, bytes: stop.bytes },
      `The next sweep moves ${stop.orphans} blobs (${formatSize(stop.bytes)}) to the trash.`,
    );
    return EXIT.ok;
  },
};

export const confirmClock: Command = {
  name: 'confirm-clock',
  summary: 'Confirm that the clock is right after it jumped, so that expiry and deletion by age continue',
  async run(call) {
    const { db, clockGuard } = await call.open();
    const { now } = await clockGuard.check();
    const stop = await findClockStop(db);
    if (!stop)
      throw new CommandError(EXIT.failed, 'The clock is already trusted. There is nothing to confirm.');
    if (!(await confirmClockStop(db, { stopId: stop.id, now })))
      throw new CommandError(
        EXIT.failed,
        'This was already confirmed, or the clock jumped again. Run sweep-status.',
      );
    call.report(
      { now: toIso(now) },
      `The clock is trusted again: ${toIso(now)}. Deletion resumes after the server has run for an hour.`,
    );
    return EXIT.ok;
  },
};

type Safety = Awaited<ReturnType<typeof findDeletionSafety>>;

function describeClock({ jumpSeconds, noticedAt, serverTime }: NonNullable<Safety['clock']>): string {
  const hours = Math.round((Math.abs(jumpSeconds) * 1000) / HOUR_MS);
  const direction = jumpSeconds > 0 ? 'ahead' : 'back';
  return [
    `The clock jumped ${hours} hours ${direction} (detected when it showed ${noticedAt}). Nothing expires or is deleted by age.`,
    `It now shows ${serverTime}. If that is right, run confirm-clock. If not, correct the clock, and deletion resumes automatically.`,
  ].join('\n');
}

function describeSweep(sweep: NonNullable<Safety['sweep']>): string {
  const { blobs, bytes, allBlobs, since, sample, confirmed } = sweep;
  const found = `${blobs} of ${allBlobs} blobs (${formatSize(bytes)}) have had no row since ${since}, for example ${sample.slice(0, 3).join(', ')}.`;
  return confirmed
    ? `${found}\nConfirmed by ${confirmed.by}: the next sweep moves them to the trash.`
    : `${found}\nIs this the right database? If it is, run: confirm-sweep ${blobs}`;
}
