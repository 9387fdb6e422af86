import { formatSize } from '../../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { confirmClock as confirmClockStop, findClockStop } from '../../platform/jobs/clock-guard.ts';
import { HOUR_MS, toIso } from '../../platform/lib/clock.ts';
import { findDeletionSafety } from '../admin/index.ts';
import { confirmSweepStop, enqueueSweep, findSweepNote, findSweepStop } from '../uploads/index.ts';
import { type Command, EXIT, RefusedError, UsageError } from './command.ts';

const BY_COMMAND = 'operator command';

export const sweepStatus: Command = {
  name: 'sweep-status',
  usage: '[--json]',
  summary: 'show what lies in the trash and what stops deletion; exit code 3 when something waits for you',
  async run(call) {
    requireNoArguments(call.args);
    const context = await call.open();
    // Sees a jump of the clock also while no server runs.
    await context.clockGuard.check();
    const safety = await findDeletionSafety(context);
    const note = await findSweepNote(context);
    const { clock, sweep, quarantineUntil } = safety;
    const lines = [
      note
        ? `Last sweep ${toIso(note.at)}: ${note.orphanedBlobs} blobs without a row (${formatSize(note.orphanedBytes)}), ${note.trashedBlobs} in the trash (${formatSize(note.trashedBytes)}).`
        : 'No sweep has run yet.',
      ...(quarantineUntil ? [`Blobs without a row stay untouched until ${quarantineUntil}.`] : []),
      ...(clock ? [describeClock(clock)] : []),
      ...(sweep ? [describeSweep(sweep)] : []),
      ...(clock || sweep ? [] : ['Nothing waits for a confirmation.']),
    ];
    call.report({ ...safety, lastSweep: note ?? null }, lines.join('\n'));
    return clock || (sweep && !sweep.confirmed) ? EXIT.found : EXIT.done;
  },
};

export const confirmSweep: Command = {
  name: 'confirm-sweep',
  usage: '[count] [--json]',
  summary: 'let the sweep move the blobs without a row that it found into the trash',
  details: [
    '',
    'First make sure that this is the right database: sweep-status says how many blobs have no row in it. Give their',
    'number to confirm no other. It holds for a day and for one sweep, which the running server begins at once.',
    'From the trash a blob comes back by itself if a row names it within seven days.',
  ].join('\n'),
  async run(call) {
    const [count, ...rest] = call.args;
    if (rest.length > 0 || (count !== undefined && !/^\d+$/.test(count)))
      throw new UsageError('Give the number of blobs, or nothing.');
    const { db, clockGuard } = await call.open();
    const now = await clockGuard.readNow();
    const stop = await findSweepStop({ db });
    if (!stop) throw new RefusedError('No sweep waits for a confirmation.');
    if (count !== undefined && Number(count) !== stop.orphans)
      throw new RefusedError(`The sweep found ${stop.orphans} blobs without a row, not ${count}.`);
    const isDone = await transaction(db, async (trx) => {
      if (!(await confirmSweepStop(trx, { stopId: stop.id, by: BY_COMMAND, now }))) return false;
      await enqueueSweep(trx, now);
      return true;
    });
    if (!isDone) throw new RefusedError('This is confirmed already, or was counted anew: see sweep-status.');
    call.report(
      { blobs: stop.orphans, bytes: stop.bytes },
      `The next sweep moves ${stop.orphans} blobs (${formatSize(stop.bytes)}) into the trash.`,
    );
    return EXIT.done;
  },
};

export const confirmClock: Command = {
  name: 'confirm-clock',
  usage: '[--json]',
  summary: 'declare the clock right after it jumped, so that expiry and deletion by age go on',
  async run(call) {
    requireNoArguments(call.args);
    const context = await call.open();
    const now = await confirm(context);
    call.report(
      { now: toIso(now) },
      `The clock is trusted from now on: ${toIso(now)}. Deletion begins after an hour of running.`,
    );
    return EXIT.done;
  },
};

/** Returns the time that is trusted. */
async function confirm({ db, clockGuard }: OperatorContext): Promise<number> {
  const { now } = await clockGuard.check();
  const stop = await findClockStop(db);
  if (!stop) throw new RefusedError('The clock is trusted: there is nothing to confirm.');
  if (await confirmClockStop(db, { stopId: stop.id, now })) return now;
  throw new RefusedError('This was changed by somebody else at the same time. Please try again.');
}

type Safety = Awaited<ReturnType<typeof findDeletionSafety>>;

function describeClock({ jumpSeconds, noticedAt, serverTime }: NonNullable<Safety['clock']>): string {
  const hours = Math.round((Math.abs(jumpSeconds) * 1000) / HOUR_MS);
  const way = jumpSeconds > 0 ? 'ahead' : 'back';
  return [
    `The clock jumped ${hours} hours ${way}, noticed when it showed ${noticedAt}: nothing expires or is deleted by age.`,
    `It shows ${serverTime}. If that is right: confirm-clock. If not: set it right, and everything goes on by itself.`,
  ].join('\n');
}

function describeSweep(sweep: NonNullable<Safety['sweep']>): string {
  const { blobs, bytes, allBlobs, since, sample, confirmed } = sweep;
  const found = `${blobs} of ${allBlobs} blobs (${formatSize(bytes)}) have no row since ${since}, for example ${sample.slice(0, 3).join(', ')}.`;
  return confirmed
    ? `${found}\nConfirmed by ${confirmed.by}: the next sweep moves them into the trash.`
    : `${found}\nIs this the right database? If it is: confirm-sweep ${blobs}`;
}

function requireNoArguments(args: string[]): void {
  if (args.length > 0) throw new UsageError('It takes no arguments.');
}
