import type { StorageTruth } from '../../../../contracts/admin/system.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { measureDatabase } from '../../../platform/db/probe.ts';
import { findLastBackup } from '../../../platform/db/settings.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { countDamagedFiles, measureScrubDelay } from '../../checksums/index.ts';
import { findSweepReport } from '../../uploads/index.ts';
import { sumStorage } from '../dashboard/stats.ts';

/** Storage use according to the database, the latest sweep and the store itself. */
export async function measureStorage(
  context: Pick<Context, 'config' | 'db' | 'blobs' | 'clock'>,
): Promise<StorageTruth> {
  const { db, blobs, clock } = context;
  const [
    damagedFiles,
    scrubDelayMs,
    current,
    earlier,
    uploads,
    waitingForDeletion,
    sweep,
    database,
    lastBackupAt,
    space,
  ] = await Promise.all([
    countDamagedFiles(db),
    measureScrubDelay(context),
    sumStorage({ db, clock }),
    sumEarlierVersions(db),
    sumReserved(db),
    sumDeleting(db),
    findSweepReport({ db }),
    measureDatabase(db),
    findLastBackup(db),
    // The system checks report a store that doesn't respond; the other values don't depend on it.
    blobs.freeSpace().catch(() => undefined),
  ]);
  return {
    committed: current + earlier,
    ...uploads,
    waitingForDeletion,
    orphaned: sweep?.orphanedBytes ?? 0,
    orphanedBlobs: sweep?.orphanedBlobs ?? 0,
    youngOrphaned: sweep?.youngBytes ?? 0,
    youngOrphanedBlobs: sweep?.youngBlobs ?? 0,
    trashed: sweep?.trashedBytes ?? 0,
    trashedBlobs: sweep?.trashedBlobs ?? 0,
    oldestTrashedAt: toIsoOrNull(sweep?.oldestTrashedAt ?? null),
    lastSweep: sweep
      ? { at: toIso(sweep.at), freedBytes: sweep.freedBytes, freedBlobs: sweep.freedBlobs }
      : null,
    damagedFiles,
    scrubDelaySeconds: scrubDelayMs === undefined ? null : Math.floor(scrubDelayMs / SECOND_MS),
    disk: space ?? null,
    database: { bytes: database.bytes, walBytes: database.walBytes ?? null },
    lastBackupAt: toIsoOrNull(lastBackupAt ?? null),
  };
}

const BATCH = 1_000;

/**
 * What has to be added to the bytes of the current versions (`totalBytes`) for the bytes that are stored
 * (`reservedBytes`, less open uploads). Negative if several paths share so many bytes that `totalBytes` is larger.
 */
async function sumEarlierVersions(db: Db): Promise<number> {
  let sum = 0;
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('transferVersions')
      .innerJoin('transfers', 'transfers.id', 'transferVersions.transferId')
      .select(['transfers.id', 'status', 'transfers.totalBytes', 'reservedBytes'])
      .select(({ selectFrom }) =>
        selectFrom('uploads')
          .select(({ fn }) => fn.sum<number | null>('sizeBytes').as('bytes'))
          .whereRef('uploads.transferId', '=', 'transfers.id')
          .where('uploads.state', '=', 'open')
          .as('openBytes'),
      )
      // Each updated transfer has one row of its first version.
      .where('transferVersions.version', '=', 1)
      .where('transferVersions.transferId', '>', after)
      .orderBy('transferVersions.transferId')
      .limit(BATCH)
      .execute();
    for (const { status, totalBytes, reservedBytes, openBytes } of rows)
      if (status === 'ready') sum += reservedBytes - totalBytes - (openBytes ?? 0);
    if (rows.length < BATCH) return sum;
    after = rows.at(-1)!.id;
  }
}

async function sumReserved(db: Db): Promise<{ reserved: number; received: number }> {
  const { bytes, received } = await db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select(({ fn }) => [
      fn.sum('uploads.sizeBytes').as('bytes'),
      fn.sum('uploads.receivedBytes').as('received'),
    ])
    .where('uploads.state', '=', 'open')
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirstOrThrow();
  return { reserved: Number(bytes ?? 0), received: Number(received ?? 0) };
}

async function sumDeleting(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('transfers')
    .select(({ fn }) => fn.sum('reservedBytes').as('bytes'))
    .where('status', '=', 'deleting')
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}
