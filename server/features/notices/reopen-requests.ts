import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { CLOSED_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { EXPIRY_GRACE_MS } from '../transfers/index.ts';
import { enqueueReopenRequest } from './emails.ts';
import { findSubject, toNotice, wantsReopenRequests } from './notices.ts';

/** Further requests for a transfer within this time are dropped, because the owner was just mailed. */
const PAUSE_MS = 12 * HOUR_MS;

const PER_OWNER = { limit: 20, windowMs: DAY_MS };

/**
 * Mails the owner of an expired or used-up transfer that someone wants it reopened. Does nothing if the transfer is
 * open, closed for good, or taken down, if the owner was asked recently or has turned these mails off; callers must not
 * learn which.
 */
export async function sendReopenRequest(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret'>,
  { transferId, note }: { transferId: string; note: string | undefined },
): Promise<void> {
  const now = context.clock.now();
  const sending = transaction(context.db, async (trx) => {
    if (!(await claimRequest(trx, transferId, now))) return;
    const subject = await findSubject(trx, transferId);
    if (!subject || !wantsReopenRequests(subject)) return;
    // Throws, so that the claim is rolled back and the owner can be asked tomorrow.
    await requireWithinLimit({ ...context, db: trx }, { key: `reopen:${subject.ownerId}`, ...PER_OWNER });
    const isExpired = subject.expiresAt !== null && subject.expiresAt <= now;
    await enqueueReopenRequest(trx, {
      ...toNotice(context, subject, now),
      note,
      maxDownloads: subject.maxDownloads,
      removedAt: isExpired ? subject.expiresAt! + EXPIRY_GRACE_MS : undefined,
    });
  });
  await sending.catch((error: unknown) => {
    if (!isAppError(error, 'too_many_requests')) throw error;
  });
}

/** Of parallel requests, one succeeds. */
async function claimRequest(trx: Trx, transferId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ reopenAskedAt: now })
    .where('id', '=', transferId)
    .where('status', 'not in', CLOSED_STATUSES)
    .where('closedAt', 'is', null)
    .where('takenDownAt', 'is', null)
    .where((eb) =>
      eb.or([
        eb('expiresAt', '<=', now),
        eb.and([eb('maxDownloads', 'is not', null), eb('downloadCount', '>=', eb.ref('maxDownloads'))]),
      ]),
    )
    .where((eb) =>
      eb.or([
        eb('reopenAskedAt', 'is', null),
        eb('reopenAskedAt', '<=', now - PAUSE_MS),
        // Written while the clock was wrong.
        eb('reopenAskedAt', '>', now),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
