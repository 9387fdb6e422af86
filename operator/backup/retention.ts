import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import { usageError } from '../../command-line/exit-codes.ts';
import { wholeNumber } from '../../command-line/program.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { ScratchMap } from '../../server/platform/db/backup/scratch-map.ts';
import { toIso } from '../../server/platform/lib/clock.ts';
import { findFileFault, readBlobList, syncFolder } from './folder.ts';
import {
  findVerification,
  listGenerations,
  type Manifest,
  manifestFileOf,
  verificationFileOf,
} from './generations.ts';

export type Retention = { keep: number; daily: number; weekly: number; monthly: number };

const DEFAULT_RETENTION: Retention = { keep: 7, daily: 0, weekly: 0, monthly: 0 };
/** Assume that the clock jumped after a longer pause between two backups. */
const LONGEST_PAUSE_MS = 35 * DAY_MS;

const count = wholeNumber({ least: 0 });

export const RETENTION_OPTIONS = [
  new Option('--keep <n>', 'Keep the newest n generations (7 if no --keep option is given)').argParser(count),
  new Option('--keep-daily <n>', 'Also keep the newest generation of each of n days').argParser(count),
  new Option('--keep-weekly <n>', 'Also keep the newest generation of each of n weeks').argParser(count),
  new Option('--keep-monthly <n>', 'Also keep the newest generation of each of n months').argParser(count),
];

export type RetentionOptions = {
  keep?: number;
  keepDaily?: number;
  keepWeekly?: number;
  keepMonthly?: number;
};

/** Throws CommandError if no generation would be kept. */
export function readRetention({ keep, keepDaily, keepWeekly, keepMonthly }: RetentionOptions): Retention {
  const given = [keep, keepDaily, keepWeekly, keepMonthly];
  if (given.every((each) => each === undefined)) return DEFAULT_RETENTION;
  if (given.every((each) => !each))
    throw usageError('At least one generation must be kept. Use a number above 0.');
  return { keep: keep ?? 0, daily: keepDaily ?? 0, weekly: keepWeekly ?? 0, monthly: keepMonthly ?? 0 };
}

type Candidate = Pick<Manifest, 'name' | 'startedAt' | 'files'> & { isGood: boolean };

/**
 * Chooses the generations to remove from all of them, oldest first. `keep` counts generations. The other rules keep
 * the newest of each day, week or month (UTC), and remove nothing while the clock contradicts the generations. Always
 * keeps the newest generation and the newest verified ones.
 */
export function chooseRemovals(
  generations: Candidate[],
  { keep, daily, weekly, monthly }: Retention,
  now: number,
): { removed: string[]; isClockDoubtful: boolean } {
  const newestFirst = generations.toReversed();
  const good = newestFirst.filter(({ isGood }) => isGood);
  const kept = new Set<string | undefined>([
    ...newestFirst.slice(0, Math.max(keep, 1)).map(({ name }) => name),
    good[0]?.name,
    good.find(({ files }) => files !== null)?.name,
  ]);
  const hasTimeRules = daily + weekly + monthly > 0;
  const isClockDoubtful = hasTimeRules && contradictsClock(newestFirst, now);
  if (isClockDoubtful) return { removed: [], isClockDoubtful };
  for (const [count, periodOf] of [
    [daily, (day: number) => day],
    // 1970-01-01 was a Thursday; weeks begin on Monday.
    [weekly, (day: number) => Math.floor((day + 3) / 7)],
    [monthly, (day: number) => toIso(day * DAY_MS).slice(0, 7)],
  ] as const) {
    const periods = new Set<number | string>();
    for (const { name, startedAt } of newestFirst) {
      const period = periodOf(Math.floor(Date.parse(startedAt) / DAY_MS));
      if (periods.has(period)) continue;
      if (periods.size === count) break;
      periods.add(period);
      kept.add(name);
    }
  }
  const removed = generations.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
  return { removed, isClockDoubtful };
}

/** The newest generation was just made. Earlier ones must be older, but not by much. */
function contradictsClock([, ...earlier]: Candidate[], now: number): boolean {
  const times = earlier.map(({ startedAt }) => Date.parse(startedAt));
  return times.some((time) => time > now) || (times.length > 0 && now - times[0]! > LONGEST_PAUSE_MS);
}

export type Removals = {
  removedGenerations: string[];
  removedBlobs: number;
  /** Why less was removed than the rules allow. */
  warnings: string[];
};

/**
 * Removes generations, then the files and blobs that no remaining generation names. Deletes a manifest before
 * anything that it names, and blobs only after all manifests, so every listed generation stays complete even after
 * kill -9.
 */
export async function removeOldGenerations(
  folder: string,
  retention: Retention,
  now: number,
): Promise<Removals> {
  const removals: Removals = { removedGenerations: [], removedBlobs: 0, warnings: [] };
  const { complete } = await listGenerations(folder);
  const candidates: Candidate[] = [];
  for (const { name, startedAt, files } of complete)
    candidates.push({
      name,
      startedAt,
      files,
      isGood: (await findVerification(folder, name))?.isGood === true,
    });
  const { removed, isClockDoubtful } = chooseRemovals(candidates, retention, now);
  if (isClockDoubtful)
    removals.warnings.push(
      'No generation was removed, because their times contradict the clock of this machine. Check the clock. If a ' +
        'generation has a wrong time (list-backups), delete its backup-….json; the next run removes the rest.',
    );
  for (const name of removed) await unlink(join(folder, manifestFileOf(name)));
  await syncFolder(folder);
  removals.removedGenerations = removed;
  removals.removedBlobs = await removeUnnamed(folder, removals.warnings);
  return removals;
}

/**
 * Removes files and blobs that no generation names, after removals and interrupted runs. Keeps all of them if a
 * manifest or a list of blobs is damaged. Returns the number of blobs removed.
 */
export async function removeUnnamed(folder: string, warnings: string[] = []): Promise<number> {
  const { complete, unreadable } = await listGenerations(folder);
  const damaged = [...unreadable];
  for (const { files } of complete)
    if (files && (await findFileFault(folder, files))) damaged.push(files.name);
  if (damaged.length > 0) {
    warnings.push(
      `No blobs were removed, because these damaged files may name some of them: ${damaged.join(', ')}. ` +
        'If a generation is lost, delete its backup-….json.',
    );
    return 0;
  }
  const kept = new Set(
    complete.flatMap(({ name, database, secret, files }) => [
      verificationFileOf(name),
      database.name,
      secret?.name,
      files?.name,
    ]),
  );
  for (const name of await readdir(folder))
    if (/^(database|secret|files|verified)-|\.tmp$/.test(name) && !kept.has(name))
      await rm(join(folder, name), { force: true });
  const named = new ScratchMap();
  try {
    for (const { files } of complete)
      if (files)
        for await (const { name } of readBlobList(join(folder, files.name)))
          if (name !== null) named.set(name, '');
    return await removeBlobs(join(folder, 'blobs'), (name) => !named.has(name));
  } finally {
    named.close();
  }
}

async function removeBlobs(folder: string, isUnnamed: (name: string) => boolean): Promise<number> {
  let removed = 0;
  for (const prefix of await readdir(folder, { withFileTypes: true })) {
    if (!prefix.isDirectory()) continue;
    for (const name of await readdir(join(folder, prefix.name)))
      if (isUnnamed(`${prefix.name}/${name}`)) {
        await unlink(join(folder, prefix.name, name));
        removed += 1;
      }
  }
  return removed;
}
