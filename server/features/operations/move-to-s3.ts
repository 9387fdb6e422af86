import { setTimeout as sleep } from 'node:timers/promises';
import { formatSize, MIB } from '../../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../context.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import { moveBlob } from '../../platform/storage/move-blob.ts';
import { MovingStore } from '../../platform/storage/moving.ts';
import { type Command, EXIT, RefusedError, UsageError } from './command.ts';
import { isWrittenTo } from './moved-blob-queries.ts';

const SAY_EVERY_MS = 5 * SECOND_MS;

export const moveToS3: Command = {
  name: 'move-to-s3',
  usage: '[--dry-run] [--mib-per-second <n>] [--json]',
  summary: 'move the files of DATA_DIR into the bucket while the server serves them',
  details: [
    'First set S3_BUCKET and its like for the server and restart it: new files then go to the bucket, and those',
    'on disk are served from there until they are moved. Each is copied, read back and compared byte by byte',
    'before it leaves the disk. The command may be ended at any moment and run again; it goes on where it was.',
    'Uploads begun before the restart are finished on disk; run it again when they are. Exit code 3: some are left.',
    'When nothing is left, the next restart of the server uses the bucket alone.',
  ].join('\n'),
  options: { 'dry-run': { type: 'boolean' }, 'mib-per-second': { type: 'string' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes no arguments.');
    const bytesPerSecond = readRate(call.options['mib-per-second']);
    if (!call.config.s3) throw new RefusedError('There is no bucket to move to: set S3_BUCKET and its like.');
    const context = await call.open();
    const isDry = call.options['dry-run'] === true;
    const tally = await moveAll(context, { isDry, bytesPerSecond, say: call.say });
    const { moved, movedBytes, busy } = tally;
    const done = `${moved} blobs (${formatSize(movedBytes)}) ${isDry ? 'would be' : 'were'} moved`;
    call.report({ ...tally, isDryRun: isDry }, `${done}; ${busy} wait for uploads to end.`);
    return busy > 0 ? EXIT.found : EXIT.done;
  },
};

type MoveTally = { moved: number; movedBytes: number; busy: number };

type Moving = {
  isDry?: boolean;
  /** Read from the disk, to copy and to compare; undefined: as fast as it goes. */
  bytesPerSecond?: number | undefined;
  say?: (line: string) => void;
  signal?: AbortSignal;
};

/** Moves every blob that nobody writes to, one after another. */
async function moveAll(
  { db, blobs, clock }: Pick<OperatorContext, 'db' | 'blobs' | 'clock'>,
  { isDry = false, bytesPerSecond, say, signal }: Moving = {},
): Promise<MoveTally> {
  const tally: MoveTally = { moved: 0, movedBytes: 0, busy: 0 };
  if (!(blobs instanceof MovingStore)) return tally;
  const pace = createPace(bytesPerSecond);
  let saidAt = clock.now();
  for await (const blob of blobs.disk.list()) {
    signal?.throwIfAborted();
    const { storageKey, sizeBytes } = blob;
    const isAtRest = async () => !(await isWrittenTo(db, storageKey));
    if (isDry ? !(await isAtRest()) : (await moveBlob(blobs, blob, { pace, isAtRest, signal })) === 'busy')
      tally.busy += 1;
    else {
      tally.moved += 1;
      tally.movedBytes += sizeBytes;
    }
    if (clock.now() - saidAt < SAY_EVERY_MS) continue;
    saidAt = clock.now();
    say?.(`${tally.moved} blobs, ${formatSize(tally.movedBytes)} so far`);
  }
  return tally;
}

/** Lets bytes pass at a mean rate. */
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

function readRate(option: unknown): number | undefined {
  if (option === undefined) return undefined;
  const rate = Number(option);
  if (!(rate > 0)) throw new UsageError('--mib-per-second takes a number above 0.');
  return rate * MIB;
}
