import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ScratchMap } from '../../server/platform/db/scratch-map.ts';
import { DAY_MS, toIso } from '../../server/platform/lib/clock.ts';
import { UsageError } from '../command.ts';
import { findFileFault, readBlobNotes, syncFolder } from './folder.ts';
import {
  findVerification,
  listGenerations,
  type Manifest,
  manifestFileOf,
  verificationFileOf,
} from './generations.ts';

export type Retention = { keep: number; daily: number; weekly: number; monthly: number };

const DEFAULT_RETENTION: Retention = { keep: 7, daily: 0, weekly: 0, monthly: 0 };
/** A longer pause between two backups looks like a clock that jumped. */
const LONGEST_PAUSE_MS = 35 * DAY_MS;

export const RETENTION_OPTIONS = {
  keep: { type: 'string' },
  'keep-daily': { type: 'string' },
  'keep-weekly': { type: 'string' },
  'keep-monthly': { type: 'string' },
} as const;

/** Seven generations by default. Throws UsageError. */
export function readRetention(options: Record<string, unknown>): Retention {
  const names = Object.keys(RETENTION_OPTIONS);
  if (names.every((name) => options[name] === undefined)) return DEFAULT_RETENTION;
  const [keep, daily, weekly, monthly] = names.map((name) => {
    const count = options[name] === undefined ? 0 : Number(options[name]);
    if (Number.isInteger(count) && count >= 0) return count;
    throw new UsageError(`--${name} takes a whole number.`);
  });
  if (keep! + daily! + weekly! + monthly! === 0)
    throw new UsageError('At least one generation must be kept.');
  return { keep: keep!, daily: daily!, weekly: weekly!, monthly: monthly! };
}

/** A generation and the result of its last verification. */
type Candidate = Pick<Manifest, 'name' | 'startedAt' | 'files'> & { isGood: boolean };

/**
 * Chooses the generations to remove, given all of them in the order they were made. `keep` counts generations.
 * The other rules keep the newest of each day, week or month (UTC); they remove nothing while the clock
 * contradicts the generations. The newest generation and the newest verified ones are always kept.
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
  const goesByTime = daily + weekly + monthly > 0;
  const isClockDoubtful = goesByTime && contradictsClock(newestFirst, now);
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

/** The run that asks has just made the newest one; those before must be older than it, but not by far. */
function contradictsClock([, ...earlier]: Candidate[], now: number): boolean {
  const times = earlier.map(({ startedAt }) => Date.parse(startedAt));
  return times.some((time) => time > now) || (times.length > 0 && now - times[0]! > LONGEST_PAUSE_MS);
}

export type Tidied = {
  removedGenerations: string[];
  removedBlobs: number;
  /** Why less was removed than the rules ask for. */
  warnings: string[];
};

/**
 * Removes generations, then what no remaining one names. A manifest is removed before anything that it names, and
 * blobs only after all manifests, so every generation that is still listed stays complete, also after kill -9.
 */
export async function removeOldGenerations(
  folder: string,
  retention: Retention,
  now: number,
): Promise<Tidied> {
  const tidied: Tidied = { removedGenerations: [], removedBlobs: 0, warnings: [] };
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
    tidied.warnings.push(
      'No generation was removed: their times contradict the clock of this machine. Check it. If a generation ' +
        'has a wrong time (list-backups), delete its backup-….json; the next run removes the rest of it.',
    );
  for (const name of removed) await unlink(join(folder, manifestFileOf(name)));
  await syncFolder(folder);
  tidied.removedGenerations = removed;
  tidied.removedBlobs = await removeUnnamed(folder, tidied.warnings);
  return tidied;
}

/**
 * Removes files and blobs that no generation names: of removed generations, and of runs that did not finish.
 * Keeps all of them while a manifest or a list of blobs cannot be trusted. Returns the number of blobs removed.
 */
export async function removeUnnamed(folder: string, warnings: string[] = []): Promise<number> {
  const { complete, unreadable } = await listGenerations(folder);
  const damaged = [...unreadable];
  for (const { files } of complete)
    if (files && (await findFileFault(folder, files))) damaged.push(files.name);
  if (damaged.length > 0) {
    warnings.push(
      `No blobs were removed, because nobody knows which of them these damaged files name: ${damaged.join(', ')}. ` +
        'Delete the backup-….json of generations that are lost.',
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
        for await (const { name } of readBlobNotes(join(folder, files.name)))
          if (name !== null) named.set(name, '');
    return await removeBlobs(join(folder, 'blobs'), (name) => !named.has(name));
  } finally {
    named.close();
  }
}

async function removeBlobs(folder: string, isUnnamed: (name: string) => boolean): Promise<number> {
  let removed = 0;
  for (const prefix of await readdir(folder))
    for (const name of await readdir(join(folder, prefix)))
      if (isUnnamed(`${prefix}/${name}`)) {
        await unlink(join(folder, prefix, name));
        removed += 1;
      }
  return removed;
}
