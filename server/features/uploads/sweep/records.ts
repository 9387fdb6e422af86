import { z } from 'zod';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

const REPORT_KEY = 'sweepNote';
const STOP_KEY = 'orphanSweepStop';

/** A confirmation not used by a sweep within this time is void. */
export const CONFIRMATION_MS = DAY_MS;

const SweepReport = z.object({
  at: z.int(),
  /** Deleted for good: expired uploads and blobs emptied from the trash. */
  freedBytes: z.int(),
  freedBlobs: z.int(),
  /** Without a row and not in the trash. */
  orphanedBytes: z.int(),
  orphanedBlobs: z.int(),
  /** Orphans that are too young to be moved. */
  youngBytes: z.int().default(0),
  youngBlobs: z.int().default(0),
  trashedBytes: z.int().default(0),
  trashedBlobs: z.int().default(0),
  oldestTrashedAt: z.int().nullable().default(null),
});
type SweepReport = z.infer<typeof SweepReport>;

export class SweepTally implements Omit<SweepReport, 'at'> {
  freedBytes = 0;
  freedBlobs = 0;
  orphanedBytes = 0;
  orphanedBlobs = 0;
  youngBytes = 0;
  youngBlobs = 0;
  trashedBytes = 0;
  trashedBlobs = 0;
  oldestTrashedAt: Instant | null = null;

  addFreed(bytes: number): void {
    this.freedBytes += bytes;
    this.freedBlobs += 1;
  }

  addOrphaned(bytes: number): void {
    this.orphanedBytes += bytes;
    this.orphanedBlobs += 1;
  }

  addTrashed(bytes: number, trashedAt: Instant): void {
    this.trashedBytes += bytes;
    this.trashedBlobs += 1;
    this.oldestTrashedAt = Math.min(this.oldestTrashedAt ?? trashedAt, trashedAt);
  }

  addMoved(bytes: number, trashedAt: Instant): void {
    this.orphanedBytes -= bytes;
    this.orphanedBlobs -= 1;
    this.addTrashed(bytes, trashedAt);
  }
}

export async function recordSweep(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  tally: SweepTally,
): Promise<void> {
  const now = clock.now();
  await writeSetting(db, { key: REPORT_KEY, value: JSON.stringify({ at: now, ...tally }), now });
}

export async function findSweepReport({ db }: Pick<Context, 'db'>): Promise<SweepReport | undefined> {
  const value = await readSetting(db, REPORT_KEY);
  return value === undefined ? undefined : SweepReport.parse(JSON.parse(value));
}

const SweepStop = z.object({
  id: z.string(),
  since: z.int(),
  countedAt: z.int(),
  olderThan: z.int(),
  orphans: z.int(),
  bytes: z.int(),
  /** All stored blobs, with or without a row. */
  blobs: z.int(),
  sample: z.array(z.string()),
  confirmed: z.object({ by: z.string(), at: z.int() }).nullable(),
});
/** Saved by a sweep that found too many blobs without a row. */
export type SweepStop = z.infer<typeof SweepStop>;

export async function findSweepStop({ db }: { db: Db | Trx }): Promise<SweepStop | undefined> {
  const value = await readSetting(db, STOP_KEY);
  return value === undefined ? undefined : SweepStop.parse(JSON.parse(value));
}

export async function saveSweepStop(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { old, stop }: { old: SweepStop | undefined; stop: SweepStop },
): Promise<boolean> {
  const row = { key: STOP_KEY, value: JSON.stringify(stop), now: clock.now() };
  return old ? replaceSetting(db, { ...row, old: JSON.stringify(old) }) : insertSetting(db, row);
}

export function endSweepStop(db: Db, stop: SweepStop): Promise<boolean> {
  return deleteSetting(db, { key: STOP_KEY, old: JSON.stringify(stop) });
}

/**
 * Allows the next sweep within a day to move the reported blobs: at most that many, and none younger. One conditional
 * statement. Returns false if the stop has ended, was recounted, or is already confirmed.
 */
export async function confirmSweepStop(
  db: Db | Trx,
  { stopId, by, now }: { stopId: string; by: string; now: Instant },
): Promise<boolean> {
  const stop = await findSweepStop({ db });
  if (stop?.id !== stopId || isConfirmed(stop, now)) return false;
  const confirmed = { ...stop, confirmed: { by, at: now } };
  return replaceSetting(db, {
    key: STOP_KEY,
    old: JSON.stringify(stop),
    value: JSON.stringify(confirmed),
    now,
  });
}

export function isConfirmed({ confirmed }: SweepStop, now: Instant): boolean {
  return confirmed !== null && Math.abs(now - confirmed.at) < CONFIRMATION_MS;
}

type Setting = { key: string; value: string; now: number };

async function readSetting(db: Db | Trx, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

async function writeSetting(db: Db, { key, value, now }: Setting): Promise<void> {
  const row = { value, updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

async function insertSetting(db: Db, { key, value, now }: Setting): Promise<boolean> {
  const inserted = await db
    .insertInto('settings')
    .values({ id: randomId(), key, value, updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

async function replaceSetting(
  db: Db | Trx,
  { key, value, old, now }: Setting & { old: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('settings')
    .set({ value, updatedAt: now })
    .where('key', '=', key)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return updated !== undefined;
}

async function deleteSetting(db: Db, { key, old }: { key: string; old: string }): Promise<boolean> {
  const deleted = await db
    .deleteFrom('settings')
    .where('key', '=', key)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return deleted !== undefined;
}
