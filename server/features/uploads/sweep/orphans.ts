import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import type { BlobStore, StoredBlob } from '../../../platform/storage/blob-store.ts';
import {
  findOrphanQuarantineEnd,
  hasRemovalHold,
} from '../../../platform/storage/installation/removal-hold.ts';
import { findNamedKeys } from './queries.ts';
import {
  endSweepStop,
  findSweepStop,
  isConfirmed,
  type SweepStop,
  type SweepTally,
  saveSweepStop,
} from './records.ts';

const TRASH_MS = RETENTION.trashDays * DAY_MS;

/** More orphans than this share of all blobs, or than this number, suggest that the database is the wrong one. */
const MAX_SHARE = 0.01;
const MAX_ORPHANS = 1000;
/** Crashes leave a few orphans even in a small installation. */
const ALWAYS_ALLOWED = 10;

const SAMPLE_SIZE = 20;
const BATCH = 200;

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

export function findOrphanLimit(blobs: number): number {
  return Math.max(ALWAYS_ALLOWED, Math.min(MAX_ORPHANS, Math.floor(blobs * MAX_SHARE)));
}

type Sweep = {
  /** Younger blobs may still get their row. */
  olderThan: Instant;
  /** The trusted time; undefined to count only. */
  now: Instant | undefined;
  tally: SweepTally;
};

/**
 * Moves blobs without a row into the trash, in two passes: count, then move. If there are too many, it moves none,
 * records the result and waits for confirmation. Keeps one batch in memory. Returns how many it moved.
 */
export async function sweepOrphans(context: Deps, { olderThan, now, tally }: Sweep): Promise<number> {
  const stop = await findSweepStop(context);
  const found = await countOrphans(context, { olderThan, confirmable: stop?.olderThan ?? 0 });
  tally.orphanedBlobs += found.orphans + found.young;
  tally.orphanedBytes += found.bytes + found.youngBytes;
  tally.youngBlobs += found.young;
  tally.youngBytes += found.youngBytes;
  if (now === undefined || (await isQuarantined(context, now))) return 0;
  if (found.orphans <= findOrphanLimit(found.blobs)) {
    if (stop) await endSweepStop(context.db, stop);
    return moveOrphans(context, { olderThan, limit: found.orphans, now, tally });
  }
  if (stop && isConfirmed(stop, now) && found.confirmable <= stop.orphans) {
    // Use up the confirmation first: if this sweep is interrupted, the next one needs a new confirmation.
    if (!(await endSweepStop(context.db, stop))) return 0;
    return moveOrphans(context, { olderThan: stop.olderThan, limit: stop.orphans, now, tally });
  }
  await recordStop(context, { old: stop, found, olderThan, now });
  return 0;
}

type Found = {
  blobs: number;
  orphans: number;
  bytes: number;
  sample: string[];
  young: number;
  youngBytes: number;
  /** Orphans from before the instant of a possible confirmation. */
  confirmable: number;
};

async function countOrphans(
  context: Pick<Deps, 'db' | 'blobs'>,
  { olderThan, confirmable }: { olderThan: Instant; confirmable: Instant },
): Promise<Found> {
  const found: Found = {
    blobs: 0,
    orphans: 0,
    bytes: 0,
    sample: [],
    young: 0,
    youngBytes: 0,
    confirmable: 0,
  };
  for await (const { blobs, orphans } of listInBatches(context)) {
    found.blobs += blobs;
    for (const { storageKey, sizeBytes, modifiedAt } of orphans) {
      if (modifiedAt >= olderThan) {
        found.young += 1;
        found.youngBytes += sizeBytes;
        continue;
      }
      found.orphans += 1;
      found.bytes += sizeBytes;
      if (modifiedAt < confirmable) found.confirmable += 1;
      if (found.sample.length < SAMPLE_SIZE) found.sample.push(storageKey);
    }
  }
  return found;
}

type Move = { olderThan: Instant; limit: number; now: Instant; tally: SweepTally };

async function moveOrphans(context: Deps, { olderThan, limit, now, tally }: Move): Promise<number> {
  const { blobs, log } = context;
  let moved = 0;
  if (limit === 0) return moved;
  for await (const { orphans } of listInBatches(context)) {
    // A running backup may still copy blobs that rows named when it began.
    if (await hasRemovalHold(context)) break;
    for (const blob of orphans) {
      if (blob.modifiedAt >= olderThan || moved === limit) continue;
      await blobs.moveToTrash(blob, now);
      tally.addMoved(blob.sizeBytes, now);
      logBlob(log, 'no-row', blob);
      moved += 1;
    }
    if (moved === limit) break;
  }
  if (moved > 0) log.info({ blobs: moved }, 'Moved blobs without a row into the trash.');
  return moved;
}

export async function recordStop(
  context: Pick<Deps, 'db' | 'clock' | 'log'>,
  { old, found, olderThan, now }: RecordedStop,
): Promise<void> {
  const { orphans, bytes, blobs, sample } = found;
  // With unchanged counts, keep the old record, so that a page that shows it can still confirm it.
  if (old && !old.confirmed && old.orphans === orphans && old.bytes === bytes) return;
  const stop: SweepStop = {
    id: randomId(),
    since: old?.since ?? now,
    countedAt: now,
    olderThan,
    orphans,
    bytes,
    blobs,
    sample,
    confirmed: null,
  };
  if (!(await saveSweepStop(context, { old, stop }))) return;
  context.log.error(
    { orphans, bytes, blobs, since: toIso(stop.since), sample: sample.slice(0, 5) },
    'Too many blobs without a row: the sweep moved none of them. Is this the right database? Confirm in the admin area or with "npm run cli -- confirm-sweep".',
  );
}

type RecordedStop = {
  old: SweepStop | undefined;
  found: Pick<Found, 'orphans' | 'bytes' | 'blobs' | 'sample'>;
  olderThan: Instant;
  now: Instant;
};

/** True for some days after a first start, a restore or adopted storage. */
export async function isQuarantined({ db }: Pick<Deps, 'db'>, now: Instant): Promise<boolean> {
  return now < ((await findOrphanQuarantineEnd(db)) ?? 0);
}

function logBlob(
  log: Deps['log'],
  cause: 'no-row' | 'row-names-it-again' | 'trash-emptied',
  { storageKey, sizeBytes }: Pick<StoredBlob, 'storageKey' | 'sizeBytes'>,
): void {
  log.info({ cause, storageKey, sizeBytes }, 'blob fate');
}

/**
 * Restores blobs from the trash that a row names again, and deletes those that have been there for seven days; without
 * `now` it only restores. Returns how many it restored.
 */
export async function sweepTrash(
  context: Deps,
  { now, tally }: { now: Instant | undefined; tally: SweepTally },
): Promise<number> {
  const { db, blobs, log } = context;
  let restored = 0;
  for await (const batch of inBatches(blobs.listTrash())) {
    const named = await findNamedKeys(
      db,
      batch.map(({ storageKey }) => storageKey),
    );
    const mayEmpty =
      now !== undefined && !(await isQuarantined(context, now)) && !(await hasRemovalHold(context));
    for (const { storageKey, sizeBytes, trashedAt } of batch) {
      if (named.has(storageKey)) {
        if (!(await blobs.restoreFromTrash(storageKey))) continue;
        restored += 1;
        logBlob(log, 'row-names-it-again', { storageKey, sizeBytes });
      } else if (mayEmpty && trashedAt <= now - TRASH_MS) {
        await blobs.removeFromTrash(storageKey);
        tally.addFreed(sizeBytes);
        logBlob(log, 'trash-emptied', { storageKey, sizeBytes });
      } else tally.addTrashed(sizeBytes, trashedAt);
    }
  }
  if (restored > 0)
    log.warn({ blobs: restored }, 'Restored blobs from the trash because rows name them again.');
  return restored;
}

async function* listInBatches({
  db,
  blobs,
}: {
  db: Context['db'];
  blobs: BlobStore;
}): AsyncGenerator<{ blobs: number; orphans: StoredBlob[] }> {
  for await (const batch of inBatches(blobs.list())) {
    const named = await findNamedKeys(
      db,
      batch.map(({ storageKey }) => storageKey),
    );
    yield {
      blobs: batch.length,
      orphans: batch.filter(({ storageKey }) => !named.has(storageKey)),
    };
  }
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
