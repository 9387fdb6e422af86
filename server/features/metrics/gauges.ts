import { MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { poolStateOf } from '../../platform/db/engines/postgres-dialect.ts';
import { findLastBackup } from '../../platform/db/settings.ts';
import type { Log } from '../../platform/lib/logging/log.ts';
import { countDroppedLines } from '../../platform/lib/logging/log-output.ts';
import { reserveOf } from '../../platform/storage/disk/disk-space.ts';
import { findDeletionSafety, measureStorage } from '../admin/index.ts';
import { countDamagedFiles, measureScrubDelay } from '../checksums/index.ts';
import { findReservedDiskSpace } from '../uploads/index.ts';
import { readQueueState } from './queue-queries.ts';

const QUEUES_EVERY_MS = 10 * SECOND_MS;
/** The sums read an index of all transfers. */
const STORAGE_EVERY_MS = 5 * MINUTE_MS;

/** Gauges are read when `/metrics` is requested. */
export function addGauges(context: Context): void {
  const { db, blobs, ballast, clock, log, metrics } = context;
  const queues = new CachedReading(() => readQueueState(db, clock.now()), { everyMs: QUEUES_EVERY_MS, log });
  const storage = new CachedReading(() => measureStorage(context), { everyMs: STORAGE_EVERY_MS, log });
  const space = new CachedReading(() => blobs.freeSpace(), { everyMs: QUEUES_EVERY_MS, log });
  const backup = new CachedReading(() => findLastBackup(db), { everyMs: QUEUES_EVERY_MS, log });
  const announced = new CachedReading(() => findReservedDiskSpace(context), {
    everyMs: QUEUES_EVERY_MS,
    log,
  });
  const safety = new CachedReading(() => findDeletionSafety(context), { everyMs: QUEUES_EVERY_MS, log });
  const readDamage = async () => ({
    files: await countDamagedFiles(context.db),
    delayMs: await measureScrubDelay(context),
  });
  const damage = new CachedReading(readDamage, { everyMs: QUEUES_EVERY_MS, log });
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
    help: 'Mails that wait (queued) or will not be retried (failed)',
    labels: ['state'],
    read: () => byName('state', queues.value?.mails),
  });
  metrics.addGauge({
    isShared: true,
    // Don't wait for the sum, which can take long: the first response omits it.
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
    help: 'Blobs without a row, which stay in the trash for seven days',
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
    help: 'How overdue the longest-waiting file of the scrub is; absent while the scrub is off',
    read: () => (damage.value?.delayMs === undefined ? [] : [{ value: damage.value.delayMs / SECOND_MS }]),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => space.refresh(),
    name: 'disk_bytes',
    help: 'Size of the disk that has the files: free, total',
    labels: ['state'],
    read: () =>
      byName('state', space.value && { free: space.value.freeBytes, total: space.value.totalBytes }),
  });
  metrics.addGauge({
    isShared: true,
    refresh: () => backup.refresh(),
    name: 'last_backup_timestamp_seconds',
    help: 'When the newest complete backup was started; absent until there is one',
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
    help: 'PostgreSQL connections of the pool: busy, idle; and requests waiting for one',
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

/** A value that is read at most once per `everyMs`, and never twice at the same time. */
class CachedReading<T> {
  readonly #read: () => Promise<T>;
  readonly #everyMs: number;
  readonly #log: Log;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  value: T | undefined;

  constructor(read: () => Promise<T>, { everyMs, log }: { everyMs: number; log: Log }) {
    this.#read = read;
    this.#everyMs = everyMs;
    this.#log = log;
  }

  /** Never rejects: after an error, the last value stays. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < this.#everyMs) return this.#reading;
    this.#readAt = performance.now();
    this.#reading = this.#read()
      .then((value) => {
        this.value = value;
      })
      .catch((err: unknown) => this.#log.warn({ err }, 'Could not read a metric.'))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}
