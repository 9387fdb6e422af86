import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { Pace } from './pace.ts';
import { findEarliestDue, listDoubtfulFiles, listDueFiles, type VerifiedFile } from './queries.ts';
import { BLOCK_BYTES, continueReading, type Progress, type ReadOptions } from './read-sums.ts';
import { type Reading, recordReadings } from './verdicts.ts';

/** One run of the job. What is not finished by then is continued by the next, in this process or another. */
const RUN_MS = 60 * SECOND_MS;
const FILES_PER_BATCH = 100;
/** Readings are recorded at least after this much. */
const BYTES_PER_COMMIT = 256 * 1024 * 1024;
/** For suspected and damaged files when the scrub itself is off. */
const RATE_WHEN_OFF = 20 * 1024 * 1024;

type Scrubbing = { state: ScrubState; options: ReadOptions & { isTimeUp: () => boolean } };

/**
 * Reads stored files again and compares them with the sums noted at upload: first the suspected and damaged ones
 * that are due, then, unless it is off, every file whose turn it is. Keeps to SCRUB_RATE and gives way to
 * requests. Throws when the storage does not answer; nothing is held against a file then.
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
  { state, options }: Scrubbing,
): Promise<void> {
  const { db, clock } = context;
  while (!options.isTimeUp() && !options.signal.aborted) {
    const files = await list(db, { now: clock.now(), limit: FILES_PER_BATCH });
    if (files.length === 0) return;
    // Files of a pack lie side by side.
    files.sort((a, b) =>
      a.storageKey === b.storageKey ? a.offset - b.offset : a.storageKey < b.storageKey ? -1 : 1,
    );
    for (let next = 0; next < files.length && !options.isTimeUp(); )
      next += await scrubSome(context, files.slice(next), { state, options });
  }
}

/** Reads files until they are worth a commit; what was found is recorded even when it is aborted. */
async function scrubSome(
  context: Context,
  files: VerifiedFile[],
  { state, options }: Scrubbing,
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

/**
 * How long the file that has waited longest is overdue for being read again, in milliseconds: near 0 while the
 * scrub keeps up. undefined while it is off or has never run.
 */
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
  /** When the first scrub ran: files from before cannot be overdue for longer. */
  since: z.number(),
  /** The large file in the middle of which the last run stopped. */
  partial: PartialReading.nullable(),
});

/** What the scrub remembers between runs, whichever process makes them. */
type ScrubState = z.infer<typeof ScrubState>;

/** undefined before the first run. */
export async function findScrubState(db: Db): Promise<ScrubState | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && ScrubState.safeParse(JSON.parse(row.value)).data;
}

/** Only the process that holds the job's lease writes it. */
export async function saveScrubState(db: Db, state: ScrubState, now: Instant): Promise<void> {
  const row = { value: JSON.stringify(state), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/**
 * Where to continue with a file; undefined when it is to be read from its start. What was read before the file was
 * suspected, damaged or moved does not count.
 */
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
