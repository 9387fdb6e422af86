import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { SECOND_MS } from '../../contracts/values/durations.ts';
import { formatSize, MIB } from '../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../server/context.ts';
import type { Db } from '../../server/platform/db/open.ts';
import { moveBlob } from '../../server/platform/storage/moving/move-blob.ts';
import { MovingStore } from '../../server/platform/storage/moving/moving-store.ts';
import type { Command, CommandCall } from '../command.ts';

const REPORT_EVERY_MS = 5 * SECOND_MS;

export const moveToS3: Command = {
  name: 'move-to-s3',
  summary: 'Move the files of DATA_DIR to the bucket while the server runs',
  details: [
    'First set S3_BUCKET and the other S3_… variables for the server and restart it. New files then go to the ' +
      'bucket, and files on the disk are served from there until they are moved.',
    'Each file is copied, read back and compared byte by byte before it is removed from the disk. You can stop the ' +
      'command at any time and run it again to continue. When no file is left, the next restart of the server uses ' +
      'only the bucket.',
    'Uploads that began before the restart finish on the disk. Exit code 3 means that some have not finished: run ' +
      'the command again later.',
  ],
  options: [
    new Option('--dry-run', 'Only print how much would be moved'),
    new Option('--mib-per-second <n>', 'Limit how fast the disk is read').argParser(parseRate),
  ],
  async run(call: CommandCall<[], { dryRun?: true; mibPerSecond?: number }>) {
    const { dryRun = false, mibPerSecond } = call.options;
    if (!call.config.s3)
      throw new CommandError(
        EXIT.failed,
        'No bucket is configured. Set S3_BUCKET and the other S3_… variables.',
      );
    const context = await call.open();
    const bytesPerSecond = mibPerSecond === undefined ? undefined : mibPerSecond * MIB;
    const tally = await moveAll(context, { isDry: dryRun, bytesPerSecond, say: call.say });
    const { moved, movedBytes, busy } = tally;
    const done = `${moved} blobs (${formatSize(movedBytes)}) ${dryRun ? 'would be' : 'were'} moved`;
    call.report({ ...tally, isDryRun: dryRun }, `${done}; ${busy} are in use by unfinished uploads.`);
    return busy > 0 ? EXIT.found : EXIT.ok;
  },
};

function parseRate(text: string): number {
  const rate = Number(text);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('It must be a number above 0.');
}

type MoveTally = { moved: number; movedBytes: number; busy: number };

type MoveOptions = {
  isDry: boolean;
  /** Every byte counts twice: it is read to copy and to compare. undefined: no limit. */
  bytesPerSecond: number | undefined;
  say: (line: string) => void;
};

/** Skips blobs that an open upload may write to. */
async function moveAll(
  { db, blobs, clock }: OperatorContext,
  { isDry, bytesPerSecond, say }: MoveOptions,
): Promise<MoveTally> {
  const tally: MoveTally = { moved: 0, movedBytes: 0, busy: 0 };
  if (!(blobs instanceof MovingStore)) return tally;
  const pace = createPace(bytesPerSecond);
  let reportedAt = clock.now();
  for await (const blob of blobs.disk.list()) {
    const { storageKey, sizeBytes } = blob;
    const isAtRest = async () => !(await hasOpenUpload(db, storageKey));
    if (isDry ? !(await isAtRest()) : (await moveBlob(blobs, blob, { pace, isAtRest })) === 'busy')
      tally.busy += 1;
    else {
      tally.moved += 1;
      tally.movedBytes += sizeBytes;
    }
    if (clock.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = clock.now();
    say(`${tally.moved} blobs, ${formatSize(tally.movedBytes)} so far`);
  }
  return tally;
}

/** The blob may be a pack of several files. */
async function hasOpenUpload(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('uploads')
    .select('id')
    .where('storageKey', '=', storageKey)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns a function that waits until that many more bytes fit the average rate. */
function createPace(bytesPerSecond: number | undefined): (bytes: number) => Promise<void> {
  if (bytesPerSecond === undefined) return async () => undefined;
  const startedAt = performance.now();
  let passed = 0;
  return async (bytes) => {
    const waitMs = startedAt + (passed / bytesPerSecond) * SECOND_MS - performance.now();
    passed += bytes;
    if (waitMs > 0) await sleep(waitMs);
  };
}
