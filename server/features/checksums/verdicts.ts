import { crc32 } from 'node:zlib';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import { transaction } from '../../platform/db/transaction.ts';
import {
  findVerifiedFile,
  postponeVerification,
  updateVerdict,
  type Verdict,
  type VerifiedFile,
} from './queries.ts';
import type { Sums } from './read-sums.ts';

/** A file counts as damaged if a second read at least this much later fails, too. */
export const CONFIRM_DAMAGE_AFTER_MS = 10 * MINUTE_MS;
const VERIFY_EVERY_MS = 30 * DAY_MS;
const VERIFY_SPREAD_MS = 10 * DAY_MS;
/** Damaged files are read again this often, because their bytes may have been restored. */
const RETRY_DAMAGED_MS = DAY_MS;

export type Reading = {
  file: VerifiedFile;
  /** undefined if the bytes are missing or too few. */
  sums: Sums | undefined;
};

export type Outcome = 'right' | 'healed' | 'suspected' | 'damaged' | 'stale';

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

/**
 * When to read intact bytes again: in 25 to 35 days, spread by blob so that files of a pack stay together and the files
 * of a large import are not all due at once.
 */
export function nextVerification(storageKey: string, now: Instant): Instant {
  const share = crc32(storageKey) / 2 ** 32;
  return now + VERIFY_EVERY_MS + Math.round((share - 0.5) * VERIFY_SPREAD_MS);
}

/**
 * Records the results of reads in one transaction. The first failed read makes a file suspected; a second one, at least
 * `CONFIRM_DAMAGE_AFTER_MS` later, makes it damaged; a successful one clears both. Returns one outcome per read:
 * 'stale' if the file changed or its transfer was deleted meanwhile. If a read failed and the storage is unreachable,
 * it throws and records nothing.
 */
export async function recordReadings(
  { db, blobs, clock, log }: Deps,
  readings: Reading[],
): Promise<Outcome[]> {
  if (readings.length === 0) return [];
  const now = clock.now();
  const judged = readings.map((reading) => ({ ...reading, ...judge(reading, now) }));
  if (judged.some(({ outcome }) => outcome === 'suspected' || outcome === 'damaged')) await blobs.check();
  const outcomes = await transaction(db, async (trx) => {
    const results: Outcome[] = [];
    for (const { file, verdict, outcome } of judged)
      results.push((await updateVerdict(trx, file, verdict)) ? outcome : 'stale');
    return results;
  });
  for (const [index, { file }] of judged.entries()) {
    const facts = { fileId: file.id, storageKey: file.storageKey };
    const outcome = outcomes[index]!;
    if (outcome === 'suspected') log.warn(facts, 'Stored bytes look damaged; a second read will decide.');
    if (outcome === 'damaged' && file.damagedAt === null)
      log.error(facts, 'The stored bytes of a file are damaged.');
    if (outcome === 'healed') log.info(facts, 'The stored bytes of a damaged file are intact again.');
    // Otherwise a file of a transfer that is being deleted would stay first in the queue.
    if (outcome === 'stale')
      await postponeVerification(db, file.id, { now, verifyAt: now + RETRY_DAMAGED_MS });
  }
  return outcomes;
}

/** Marks a file as suspected because wrong bytes were found while sending it; a second read decides. Never throws. */
export async function recordSuspicion(context: Deps, fileId: string): Promise<void> {
  try {
    const file = await findVerifiedFile(context.db, fileId);
    if (file) await recordReadings(context, [{ file, sums: undefined }]);
  } catch (error) {
    context.log.error({ err: error, fileId }, 'Could not mark a file as suspected.');
  }
}

function judge(
  { file, sums }: Reading,
  now: Instant,
): { outcome: Exclude<Outcome, 'stale'>; verdict: Verdict } {
  const retryAt = now + RETRY_DAMAGED_MS;
  // A replaced file must also match the SHA-256, which needs an uninterrupted read.
  const isUnread = file.damagedAt !== null && file.checkedAt === null && file.sha256 !== null;
  if (isUnread && sums && sums.sha256 === undefined)
    return { outcome: 'damaged', verdict: { verifyAt: retryAt } };
  if (sums && isRight(file, sums)) {
    const verdict = {
      verifiedAt: now,
      verifyAt: nextVerification(file.storageKey, now),
      suspectedAt: null,
      damagedAt: null,
      damageToldAt: null,
      ...(sums.sha256 !== undefined && { sha256: sums.sha256, checkedAt: file.checkedAt ?? now }),
    };
    return { outcome: file.damagedAt === null ? 'right' : 'healed', verdict };
  }
  const checkedAt = file.checkedAt ?? now;
  if (file.damagedAt !== null) return { outcome: 'damaged', verdict: { verifyAt: retryAt, checkedAt } };
  if (file.suspectedAt === null)
    return {
      outcome: 'suspected',
      verdict: { suspectedAt: now, verifyAt: now + CONFIRM_DAMAGE_AFTER_MS },
    };
  const confirmFrom = file.suspectedAt + CONFIRM_DAMAGE_AFTER_MS;
  if (now < confirmFrom) return { outcome: 'suspected', verdict: { verifyAt: confirmFrom } };
  return {
    outcome: 'damaged',
    verdict: { damagedAt: now, suspectedAt: null, verifyAt: retryAt, checkedAt },
  };
}

function isRight(file: VerifiedFile, sums: Sums): boolean {
  if (sums.crc32 !== file.crc32) return false;
  return file.sha256 === null || sums.sha256 === undefined || sums.sha256 === file.sha256;
}
