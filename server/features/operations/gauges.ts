import type { Context } from '../../context.ts';
import { findLastBackup } from '../../platform/db/last-backup.ts';
import { poolStateOf } from '../../platform/db/postgres-dialect.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { countDroppedLines } from '../../platform/lib/log-output.ts';
import { reserveOf } from '../../platform/storage/disk/disk-space.ts';
import { findDeletionSafety, measureStorage } from '../admin/index.ts';
import { countDamagedFiles, measureScrubDelay } from '../checksums/index.ts';
import { findReservedDiskSpace } from '../uploads/index.ts';
import { KeptReading } from './kept-reading.ts';
import { readQueueState } from './queue-queries.ts';

/** What is read from rows is at most so old, however many ask. */
const QUEUES_EVERY_MS = 10 * SECOND_MS;
/** Adding up what is stored reads an index of all transfers. */
const STORAGE_EVERY_MS = 5 * MINUTE_MS;

/** Adds what stands in rows and on disks to the process's metrics; read when somebody asks. */
export function addGauges(context: Context): void {
  const { db, blobs, ballast, clock, log, metrics } = context;
  const queues = new KeptReading(() => readQueueState(db, clock.now()), { everyMs: QUEUES_EVERY_MS, log });
  const storage = new KeptReading(() => measureStorage(context), { everyMs: STORAGE_EVERY_MS, log });
  const space = new KeptReading(() => blobs.freeSpace(), { everyMs: QUEUES_EVERY_MS, log });
  const backup = new KeptReading(() => findLastBackup(db), { everyMs: QUEUES_EVERY_MS, log });
  const announced = new KeptReading(() => findReservedDiskSpace(context), { everyMs: QUEUES_EVERY_MS, log });
  const safety = new KeptReading(() => findDeletionSafety(context), { everyMs: QUEUES_EVERY_MS, log });
  const readDamage = async () => ({
    files: await countDamagedFiles(context.db),
    delayMs: await measureScrubDelay(context),
  });
  const damage = new KeptReading(readDamage, { everyMs: QUEUES_EVERY_MS, log });
  const ofQueues = { isShared: true, refresh: () => queues.refresh() };
  metrics.addGauge({
    ...ofQueues,
    name: 'jobs',
    help: 'Jobs by state: scheduled, due, running, failed (given up)',
    labels: ['state'],
    read: () => byName('state', queues.value?.jobs),
  });
  metrics.addGauge({
    ...ofQueues,
    name: 'oldest_due_job_seconds',
    help: 'How long the oldest due job has been waiting',
    read: () => (queues.value ? [{ value: queues.value.oldestDueMs / 1000 }] : []),
  });
  metrics.addGauge({
    ...ofQueues,
    name: 'mails',
    help: 'Mails that wait (queued) or were given up (failed)',
    labels: ['state'],
    read: () => byName('state', queues.value?.mails),
  });
  metrics.addGauge({
    isShared: true,
    // Nobody waits for a long sum: the first reading is without it.
    refresh: async () => void storage.refresh(),
    name: 'storage_bytes',
    help: 'Stored bytes: committed, reserved by open uploads, received of that, waiting for deletion, orphaned, trashed',
    labels: ['state'],
    read: () => byName('state', sumsOf(storage.value)),
  });
  metrics.addGauge({
    isShared: true,
    refresh: async () => void storage.refresh(),
    name: 'database_bytes',
    help: 'Size of the database, and of SQLite’s write-ahead log (wal)',
    labels: ['part'],
    read: () =>
      byName(
        'part',
        storage.value && {
          main: storage.value.database.bytes,
          ...(storage.value.database.walBytes !== null && { wal: storage.value.database.walBytes }),
        },
      ),
  });
  metrics.addGauge({
    isShared: true,
    refresh: async () => void storage.refresh(),
    name: 'trash_blobs',
    help: 'Blobs without a row that wait seven days in the trash',
    read: () => (storage.value ? [{ value: storage.value.trashedBlobs }] : []),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => safety.refresh(),
    name: 'deletion_stopped',
    help: '1 while deletion waits for a confirmation: clock (it jumped), sweep (too many blobs without a row)',
    labels: ['reason'],
    read: () =>
      byName(
        'reason',
        safety.value && {
          clock: safety.value.clock ? 1 : 0,
          sweep: safety.value.sweep && !safety.value.sweep.confirmed ? 1 : 0,
        },
      ),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => damage.refresh(),
    name: 'damaged_files',
    help: 'Files whose stored bytes are missing or wrong',
    read: () => (damage.value ? [{ value: damage.value.files }] : []),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => damage.refresh(),
    name: 'scrub_overdue_seconds',
    help: 'How overdue the file is that has waited longest to be read again; absent while the scrub is off',
    read: () => (damage.value?.delayMs === undefined ? [] : [{ value: damage.value.delayMs / SECOND_MS }]),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => space.refresh(),
    name: 'disk_bytes',
    help: 'Room of the disk that holds the files: free, total',
    labels: ['state'],
    read: () =>
      byName('state', space.value && { free: space.value.freeBytes, total: space.value.totalBytes }),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => backup.refresh(),
    name: 'last_backup_timestamp_seconds',
    help: 'When the newest complete backup was started; missing until there is one',
    read: () => (backup.value === undefined ? [] : [{ value: backup.value / 1000 }]),
  });
  metrics.addGauge({
    isShared: true,
    name: 'disk_reserve_bytes',
    help: 'Free bytes of the disk below which uploads are refused',
    read: () => (space.value ? [{ value: reserveOf(space.value.totalBytes) }] : []),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => announced.refresh(),
    name: 'disk_announced_bytes',
    help: 'Bytes that open uploads may still write to the disk; an upper bound',
    read: () => (space.value && announced.value !== undefined ? [{ value: announced.value }] : []),
  });
  metrics.addGauge({
    isShared: true,
    name: 'disk_ballast_released',
    help: '1 while the ballast file is deleted because the disk is full',
    read: () => (ballast ? [{ value: ballast.state === 'released' ? 1 : 0 }] : []),
  });
  metrics.addGauge({
    name: 'log_lines_dropped_total',
    help: 'Log lines dropped because standard output did not accept them',
    read: () => [{ value: countDroppedLines() }],
  });
  metrics.addGauge({
    name: 'database_connections',
    help: 'PostgreSQL connections of the pool: busy, idle; and who waits for one',
    labels: ['state'],
    read: () => byName('state', poolStateOf(db)),
  });
}

function sumsOf(truth: Awaited<ReturnType<typeof measureStorage>> | undefined) {
  if (!truth) return undefined;
  const { committed, reserved, received, waitingForDeletion, orphaned, trashed } = truth;
  return { committed, reserved, received, waiting_for_deletion: waitingForDeletion, orphaned, trashed };
}

function byName(label: string, values: Record<string, number> | undefined) {
  return Object.entries(values ?? {}).map(([name, value]) => ({ labels: { [label]: name }, value }));
}
