import { crc32 } from 'node:zlib';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import {
  findVerifiedFile,
  postponeVerification,
  updateVerdict,
  type Verdict,
  type VerifiedFile,
} from './queries.ts';
import type { Sums } from './read-sums.ts';

/** A file counts as damaged when a second reading at least this much later finds the same as the first. */
export const SECOND_LOOK_AFTER_MS = 10 * MINUTE_MS;
/** Every stored byte is read again about this often. */
const VERIFY_EVERY_MS = 30 * DAY_MS;
const VERIFY_SPREAD_MS = 10 * DAY_MS;
/** Damaged files are read again this often: their bytes may have been restored. */
const RETRY_DAMAGED_MS = DAY_MS;

export type Reading = {
  file: VerifiedFile;
  /** undefined: the bytes are missing or too few. */
  sums: Sums | undefined;
};

export type Outcome = 'right' | 'healed' | 'suspected' | 'damaged' | 'stale';

type Deps = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

/**
 * When right bytes are to be read next: in 25 to 35 days, spread by blob so that files of a pack stay together
 * and a large import does not come due all at once.
 */
export function nextVerification(storageKey: string, now: Instant): Instant {
  const share = crc32(storageKey) / 2 ** 32;
  return now + VERIFY_EVERY_MS + Math.round((share - 0.5) * VERIFY_SPREAD_MS);
}

/**
 * Records what readings of stored bytes have found, all in one transaction. The first wrong reading makes a file
 * suspected, a second one at least `SECOND_LOOK_AFTER_MS` later damaged; a right one clears both. Returns one
 * outcome per reading: 'stale' when the file changed or its transfer was deleted meanwhile. Throws, and records
 * nothing, when something looks wrong but the storage does not answer.
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
    if (outcome === 'suspected') log.warn(facts, 'Stored bytes look damaged; they will be read once more.');
    if (outcome === 'damaged' && file.damagedAt === null)
      log.error(facts, 'The stored bytes of a file are damaged.');
    if (outcome === 'healed') log.info(facts, 'The stored bytes of a damaged file are right again.');
    // A file of a transfer that is being deleted would otherwise stay the first in the queue.
    if (outcome === 'stale')
      await postponeVerification(db, file.id, { now, verifyAt: now + RETRY_DAMAGED_MS });
  }
  return outcomes;
}

/** Records at once that bytes on their way to a client were wrong; a second reading decides. Never throws. */
export async function recordSuspicion(context: Deps, fileId: string): Promise<void> {
  try {
    const file = await findVerifiedFile(context.db, fileId);
    if (file) await recordReadings(context, [{ file, sums: undefined }]);
  } catch (error) {
    context.log.error({ err: error, fileId }, 'Could not record that stored bytes look damaged.');
  }
}

function judge(
  { file, sums }: Reading,
  now: Instant,
): { outcome: Exclude<Outcome, 'stale'>; verdict: Verdict } {
  const retryAt = now + RETRY_DAMAGED_MS;
  // Bytes sent again must have the SHA-256, too: the check reads them in one go.
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
      verdict: { suspectedAt: now, verifyAt: now + SECOND_LOOK_AFTER_MS },
    };
  const confirmFrom = file.suspectedAt + SECOND_LOOK_AFTER_MS;
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
