import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { Pace } from './pace.ts';
import { findEarliestDue, listDoubtfulFiles, listDueFiles, type VerifiedFile } from './queries.ts';
import { BLOCK_BYTES, continueReading, type Progress, type ReadOptions } from './read-sums.ts';
import { type Reading, recordReadings } from './verdicts.ts';

/** Length of one run. The next run continues, in this process or another. */
const RUN_MS = 60 * SECOND_MS;
const FILES_PER_BATCH = 100;
const BYTES_PER_COMMIT = 256 * 1024 * 1024;
/** Bytes per second for suspected and damaged files while the scrub itself is off. */
const RATE_WHEN_OFF = 20 * 1024 * 1024;

type ScrubRun = { state: ScrubState; options: ReadOptions & { isTimeUp: () => boolean } };

/**
 * Reads stored files again and compares them with the sums from their upload: first suspected and damaged files, then,
 * unless the scrub is off, all files that are due. Limits itself to SCRUB_RATE and yields to requests. Throws if the
 * storage is unreachable, without marking any file.
 */
export async function scrub(context: Context, { signal }: Pick<JobRun, 'signal'>): Promise<void> {
  const { config, clock, db } = context;
  const state = (await findScrubState(db)) ?? { since: clock.now(), partial: null };
  await saveScrubState(db, state, clock.now());
  const endsAt = performance.now() + RUN_MS;
  const options = {
    block: Buffer.allocUnsafeSlow(BLOCK_BYTES),
    pace: new Pace({ bytesPerSecond: config.scrubBytesPerSecond ?? RATE_WHEN_OFF }),
    signal,
    isTimeUp: () => performance.now() >= endsAt,
  };
  await scrubAll(context, listDoubtfulFiles, { state, options });
  if (config.scrubBytesPerSecond !== undefined) await scrubAll(context, listDueFiles, { state, options });
}

async function scrubAll(
  context: Context,
  list: typeof listDueFiles,
  { state, options }: ScrubRun,
): Promise<void> {
  const { db, clock } = context;
  while (!options.isTimeUp() && !options.signal.aborted) {
    const files = await list(db, { now: clock.now(), limit: FILES_PER_BATCH });
    if (files.length === 0) return;
    files.sort((a, b) =>
      a.storageKey === b.storageKey ? a.offset - b.offset : a.storageKey < b.storageKey ? -1 : 1,
    );
    for (let next = 0; next < files.length && !options.isTimeUp(); )
      next += await scrubBatch(context, files.slice(next), { state, options });
  }
}

async function scrubBatch(
  context: Context,
  files: VerifiedFile[],
  { state, options }: ScrubRun,
): Promise<number> {
  const { db, blobs, clock, metrics } = context;
  const readings: Reading[] = [];
  let bytes = 0;
  try {
    for (const file of files) {
      if (bytes >= BYTES_PER_COMMIT || options.isTimeUp()) break;
      const from = findProgress(state, file) ?? { doneBytes: 0, crc32: 0 };
      const hash = from.doneBytes === 0 ? createHash('sha256') : undefined;
      const reached = await continueReading(blobs, file, { ...options, from, hash });
      const readBytes = (reached?.doneBytes ?? from.doneBytes) - from.doneBytes;
      metrics.countScrubbed(readBytes);
      bytes += readBytes;
      if (reached && reached.doneBytes < file.sizeBytes) {
        await savePartial(context, state, toPartial(file, reached));
        break;
      }
      if (from.doneBytes > 0) await savePartial(context, state, null);
      readings.push({ file, sums: toSums(reached, hash?.digest('hex')) });
    }
  } finally {
    await recordReadings({ db, blobs, clock, log: context.log }, readings);
  }
  return readings.length;
}

function toSums(reached: Progress | undefined, sha256: string | undefined): Reading['sums'] {
  return reached && { crc32: reached.crc32, sha256 };
}

async function savePartial(
  { db, clock }: Context,
  state: ScrubState,
  partial: ScrubState['partial'],
): Promise<void> {
  state.partial = partial;
  await saveScrubState(db, state, clock.now());
}

/** In milliseconds: near 0 while the scrub keeps up. undefined while it is off or has never run. */
export async function measureScrubDelay({
  config,
  db,
  clock,
}: Pick<Context, 'config' | 'db' | 'clock'>): Promise<number | undefined> {
  if (config.scrubBytesPerSecond === undefined) return undefined;
  const state = await findScrubState(db);
  if (!state) return undefined;
  const earliest = await findEarliestDue(db);
  if (earliest === undefined) return 0;
  return Math.max(0, clock.now() - Math.max(earliest, state.since));
}

const KEY = 'scrub';

const PartialReading = z.object({
  fileId: z.string(),
  storageKey: z.string(),
  offset: z.number(),
  suspectedAt: z.number().nullable(),
  damagedAt: z.number().nullable(),
  doneBytes: z.number(),
  crc32: z.number(),
});

const ScrubState = z.object({
  /** Time of the first scrub; older files cannot be overdue for longer. */
  since: z.number(),
  partial: PartialReading.nullable(),
});

/** State kept between runs, shared by all processes. */
type ScrubState = z.infer<typeof ScrubState>;

export async function findScrubState(db: Db): Promise<ScrubState | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && ScrubState.safeParse(JSON.parse(row.value)).data;
}

/** Only the process that holds the job's lease may call it. */
export async function saveScrubState(db: Db, state: ScrubState, now: Instant): Promise<void> {
  const row = { value: JSON.stringify(state), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/** Where to resume a file; undefined to start over, also if it was suspected, damaged or moved since. */
function findProgress({ partial }: ScrubState, file: VerifiedFile): Progress | undefined {
  const isSame =
    partial !== null &&
    partial.fileId === file.id &&
    partial.storageKey === file.storageKey &&
    partial.offset === file.offset &&
    partial.suspectedAt === file.suspectedAt &&
    partial.damagedAt === file.damagedAt;
  return isSame ? { doneBytes: partial.doneBytes, crc32: partial.crc32 } : undefined;
}

function toPartial(file: VerifiedFile, progress: Progress): ScrubState['partial'] {
  const { id: fileId, storageKey, offset, suspectedAt, damagedAt } = file;
  return { fileId, storageKey, offset, suspectedAt, damagedAt, ...progress };
}
