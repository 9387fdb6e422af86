import type { StorageTruth } from '../../../contracts/admin/system.ts';
import type { Context } from '../../context.ts';
import { measureDatabase } from '../../platform/db/database-size.ts';
import { findLastBackup } from '../../platform/db/last-backup.ts';
import { SECOND_MS, toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { countDamagedFiles, measureScrubDelay } from '../checksums/index.ts';
import { findSweepNote } from '../uploads/index.ts';
import { sumStorage } from './stats.ts';
import { sumDeleting, sumReserved } from './storage-queries.ts';

/** What lies in the storage and why: the rows' word, the latest sweep's, and the store's own. */
export async function measureStorage(
  context: Pick<Context, 'config' | 'db' | 'blobs' | 'clock'>,
): Promise<StorageTruth> {
  const { db, blobs, clock } = context;
  const [
    damagedFiles,
    scrubDelayMs,
    committed,
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
    sumReserved(db),
    sumDeleting(db),
    findSweepNote({ db }),
    measureDatabase(db),
    findLastBackup(db),
    // A store that does not answer is the system checks' matter; the rest is known without it.
    blobs.freeSpace().catch(() => undefined),
  ]);
  return {
    committed,
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
