import { z } from 'zod';
import type { UnscannedReason } from '../../../contracts/transfers/held-files.ts';
import { MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { lockTransfer } from '../../platform/db/queries/lock-transfer.ts';
import { listDistinct } from '../../platform/db/queries/walk.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { type Clamd, ScanBrokeOff, ScannerAway, type ScanVerdict } from '../../platform/scanning/clamd.ts';
import { BLOCK_BYTES, Pace, readSums, recordReadings } from '../checksums/index.ts';
import { refreshScanState } from './held-files.ts';
import {
  countAttempt,
  deleteHeldFile,
  findLikelyBlocked,
  findNextWaitingOwner,
  findRule,
  listLongWaitingFiles,
  listRetryable,
  listWaitingFiles,
  updateHeldFile,
  type WaitingFile,
} from './queries.ts';

const TURN_MS = 10 * SECOND_MS;
const FILES_PER_LIST = 50;
const FILES_PER_COMMIT = 25;
const BYTES_PER_COMMIT = 64 * 1024 * 1024;
/** How long files wait for an unreachable scanner before they count as unscanned. */
const SCANNER_TIMEOUT_MS = 10 * MINUTE_MS;
const TEMPORARY_REASONS: UnscannedReason[] = ['scanner-away', 'unreadable'];
/** A file on which the scanner fails counts as unscanned after this many attempts. */
const MAX_SCANNER_FAILURES = 2;
/** After this many attempts a file is not scanned again. */
const MAX_ATTEMPTS = 30;
const RETRIED_PER_SWEEP = 500;
const OWNERS_PER_SWEEP = 1_000;

/**
 * Scans an owner's waiting files for one turn. Progress is saved in the held files' rows, so an interrupted run can be
 * resumed. Owners take turns: each has one job, which goes to the end of the queue if files are left.
 */
export const scanFilesJob = defineJob<Context, { userId: string }>({
  name: 'scan-files',
  payload: z.object({ userId: z.string() }),
  ownPlaces: 2,
  retry: { giveUpAfterMs: Number.POSITIVE_INFINITY },
  run: scanFiles,
});

export function enqueueScan(trx: Trx, userId: string, runAt: Instant): Promise<void> {
  return enqueue(trx, scanFilesJob, { userId }, { uniqueKey: userId, runAt });
}

type Outcome =
  | { kind: 'clear' }
  | { kind: 'held'; state: 'infected' | 'blocked'; finding: string | null }
  | { kind: 'unscanned'; reason: UnscannedReason };
type Result = { file: WaitingFile; sha256: string | null; outcome: Outcome };
type Reading = { block: Buffer; pace: Pace; signal: AbortSignal };

async function scanFiles(
  context: Context,
  { userId }: { userId: string },
  { signal }: JobRun,
): Promise<void> {
  const { db, clock } = context;
  const endsAt = performance.now() + TURN_MS;
  const reading = { block: Buffer.allocUnsafeSlow(BLOCK_BYTES), pace: new Pace(), signal };
  try {
    while (performance.now() < endsAt) {
      const files = await listWaitingFiles(db, userId, FILES_PER_LIST);
      if (files.length === 0) return;
      const isTimeUp = () => performance.now() >= endsAt;
      for (let next = 0; next < files.length && !isTimeUp(); )
        next += await scanBatch(context, files.slice(next), { ...reading, isTimeUp });
    }
  } catch (error) {
    if (error instanceof ScannerAway) await markLongWaitingUnscanned(context, userId);
    throw error;
  }
  await transaction(db, (trx) => enqueueScan(trx, userId, clock.now()));
}

async function scanBatch(
  context: Context,
  files: WaitingFile[],
  { isTimeUp, ...reading }: Reading & { isTimeUp: () => boolean },
): Promise<number> {
  const results: Result[] = [];
  let bytes = 0;
  try {
    for (const file of files) {
      results.push(await scanFile(context, file, reading));
      bytes += file.sizeBytes;
      if (bytes >= BYTES_PER_COMMIT || results.length >= FILES_PER_COMMIT || isTimeUp()) break;
    }
  } finally {
    await saveResults(context, results);
  }
  return results.length;
}

/** Decides about one file. Content rules take precedence, so a released file is not held again. Throws ScannerAway. */
async function scanFile(context: Context, file: WaitingFile, reading: Reading): Promise<Result> {
  const { db, blobs, scanner, clock, log } = context;
  await countAttempt(db, file.id);
  const known = file.sha256 === null ? undefined : await findRule(db, file.sha256);
  if (known) return { file, sha256: file.sha256, outcome: toOutcome(known.verdict) };
  if (await isTooLargeToScan(context, file))
    return { file, sha256: file.sha256, outcome: { kind: 'unscanned', reason: 'too-large' } };
  const { sums, verdict } = await scanBytes(context, file, reading);
  const [recorded] = await recordReadings({ db, blobs, clock, log }, [{ file, sums }]);
  const isWrong = sums?.crc32 !== file.crc32 || recorded === 'suspected' || recorded === 'damaged';
  if (!sums || isWrong) return { file, sha256: null, outcome: { kind: 'unscanned', reason: 'unreadable' } };
  const rule = await findRule(db, sums.sha256);
  const outcome = rule ? toOutcome(rule.verdict) : judge(verdict, scanner !== undefined);
  return { file, sha256: sums.sha256, outcome };
}

/** Files above the scanner's size limit are not read, except those that may be taken-down content. */
async function isTooLargeToScan({ db, config }: Context, file: WaitingFile): Promise<boolean> {
  if (!config.scan || file.sizeBytes <= config.scan.maxBytes) return false;
  return (await findLikelyBlocked(db, [file])).length === 0;
}

type Scanned = { sums: Awaited<ReturnType<typeof readSums>>; verdict: ScanVerdict | undefined };

async function scanBytes(context: Context, file: WaitingFile, reading: Reading): Promise<Scanned> {
  const { blobs, config, scanner } = context;
  if (!scanner || file.sizeBytes > config.scan!.maxBytes)
    return { sums: await readSums(blobs, file, reading), verdict: undefined };
  const stream = await scanner.open();
  try {
    const onBlock = (bytes: Buffer) => stream.write(bytes);
    const sums = await readSums(blobs, file, { ...reading, onBlock });
    return { sums, verdict: sums && (await stream.end()) };
  } catch (error) {
    const reason = error instanceof ScanBrokeOff ? await findFailureReason(scanner, file) : undefined;
    if (!reason) throw error;
    return { sums: await readSums(blobs, file, reading), verdict: { kind: 'unscanned', reason } };
  } finally {
    stream.close();
  }
}

/** Why the scanner failed on a file; undefined if another attempt may succeed. Throws ScannerAway. */
async function findFailureReason(
  scanner: Clamd,
  file: WaitingFile,
): Promise<'too-large' | 'failed' | undefined> {
  if (await scanner.exceedsStreamLimit(file.sizeBytes)) return 'too-large';
  return file.attempts < MAX_SCANNER_FAILURES ? undefined : 'failed';
}

function toOutcome(verdict: 'blocked' | 'released'): Outcome {
  return verdict === 'released' ? { kind: 'clear' } : { kind: 'held', state: 'blocked', finding: null };
}

function judge(verdict: ScanVerdict | undefined, hasScanner: boolean): Outcome {
  if (!verdict) return hasScanner ? { kind: 'unscanned', reason: 'too-large' } : { kind: 'clear' };
  if (verdict.kind === 'clean') return { kind: 'clear' };
  if (verdict.kind === 'unscanned') return verdict;
  return { kind: 'held', state: 'infected', finding: verdict.signature };
}

/** One transaction per transfer. Files with a newer decision stay as they are. */
async function saveResults(context: Context, results: Result[]): Promise<void> {
  for (const [transferId, ofTransfer] of Map.groupBy(results, ({ file }) => file.transferId))
    await transaction(context.db, async (trx) => {
      if (!(await lockTransfer(trx, transferId))) return;
      for (const result of ofTransfer) await saveResult(trx, context, result);
      await refreshScanState(trx, context, transferId);
    });
}

async function saveResult(
  trx: Trx,
  { clock, config, log }: Context,
  { file, sha256, outcome }: Result,
): Promise<void> {
  const target = { fileId: file.id, from: ['waiting' as const] };
  const facts = { fileId: file.id, transferId: file.transferId };
  const foundAt = clock.now();
  if (outcome.kind === 'held') {
    const { state, finding } = outcome;
    await updateHeldFile(trx, target, { state, finding, sha256, foundAt });
    log.warn(
      { ...facts, signature: finding },
      'A file is infected or was taken down; its download is blocked.',
    );
    return;
  }
  if (outcome.kind === 'unscanned') {
    const { reason } = outcome;
    log.warn({ ...facts, reason, policy: config.scan?.unscanned }, 'A file could not be scanned.');
    // Unreadable bytes may become readable, so they are held under either policy.
    const isHeld = config.scan?.unscanned === 'hold' || reason === 'unreadable';
    if (isHeld)
      return void (await updateHeldFile(trx, target, {
        state: 'unscanned',
        finding: reason,
        sha256,
        foundAt,
      }));
  }
  await deleteHeldFile(trx, target);
}

/** While the scanner is unreachable, files that have waited long enough count as unscanned. */
async function markLongWaitingUnscanned(context: Context, userId: string): Promise<void> {
  const due = { userId, heldBefore: context.clock.now() - SCANNER_TIMEOUT_MS, limit: FILES_PER_LIST };
  const outcome = { kind: 'unscanned' as const, reason: 'scanner-away' as const };
  for (let count = FILES_PER_LIST; count === FILES_PER_LIST; ) {
    const late = await listLongWaitingFiles(context.db, due);
    await saveResults(
      context,
      late.map((file) => ({ file, sha256: file.sha256, outcome })),
    );
    count = late.length;
  }
}

/** Retries files that could not be scanned for a temporary reason, and waiting files without a job. */
export async function retryUnscanned(context: Context): Promise<void> {
  const { db, clock, scanner } = context;
  const owners = new Set(
    await listDistinct({ after: '', limit: OWNERS_PER_SWEEP }, (previous) =>
      findNextWaitingOwner(db, previous),
    ),
  );
  const answers = await scanner?.ping().then(
    () => true,
    () => false,
  );
  if (answers) {
    const due = { findings: TEMPORARY_REASONS, maxAttempts: MAX_ATTEMPTS, limit: RETRIED_PER_SWEEP };
    for (const { fileId, transferId, userId } of await listRetryable(db, due)) {
      await transaction(db, async (trx) => {
        if (!(await lockTransfer(trx, transferId))) return;
        const again = { state: 'waiting' as const, finding: null, foundAt: null };
        await updateHeldFile(trx, { fileId, from: ['unscanned'] }, again);
        await refreshScanState(trx, context, transferId);
      });
      owners.add(userId);
    }
  }
  if (owners.size === 0) return;
  await transaction(db, async (trx) => {
    for (const userId of owners) await enqueueScan(trx, userId, clock.now());
  });
}
