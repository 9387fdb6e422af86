import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readSetting, writeSetting } from './sweep-note-queries.ts';

const KEY = 'sweepNote';

const SweepNote = z.object({
  /** When it ended. */
  at: z.int(),
  freedBytes: z.int(),
  freedBlobs: z.int(),
  /** Without a row, and too young to be removed: the next sweeps look again. */
  orphanedBytes: z.int(),
  orphanedBlobs: z.int(),
});
export type SweepNote = z.infer<typeof SweepNote>;

/** Adds up what a sweep finds and frees. */
export class SweepTally {
  freedBytes = 0;
  freedBlobs = 0;
  orphanedBytes = 0;
  orphanedBlobs = 0;

  addFreed(bytes: number): void {
    this.freedBytes += bytes;
    this.freedBlobs += 1;
  }

  addOrphaned(bytes: number): void {
    this.orphanedBytes += bytes;
    this.orphanedBlobs += 1;
  }
}

/** Keeps what the latest sweep has come to, for administrators. */
export async function noteSweep(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  tally: SweepTally,
): Promise<void> {
  const now = clock.now();
  await writeSetting(db, { key: KEY, value: JSON.stringify({ at: now, ...tally }), now });
}

/** undefined: it has not run yet. */
export async function findSweepNote({ db }: Pick<Context, 'db'>): Promise<SweepNote | undefined> {
  const value = await readSetting(db, KEY);
  return value === undefined ? undefined : SweepNote.parse(JSON.parse(value));
}
