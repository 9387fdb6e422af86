import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database, RecipientRow } from '../../platform/db/schema.ts';
import type { Page } from './queries.ts';

type OfTransfers = ExpressionBuilder<Database, 'transfers'>;

/** Instants in epoch milliseconds: after `since`, until `now`. */
type Span = { since: number; now: number };

/** Transfers that expired in the span and whose owners were not told since they did, in the order of their ids. */
export async function listNewlyExpired(db: Db, { after, limit }: Page, span: Span): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where((eb) => isNewlyExpired(eb, span))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes that the owner is told now; false when that was done, or the transfer extended, meanwhile. */
export async function takeExpiry(trx: Trx, transferId: string, span: Span): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ expiryNoticeAt: span.now })
    .where('id', '=', transferId)
    .where((eb) => isNewlyExpired(eb, span))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A notice from before the present expiry was about an earlier one: the transfer was extended since. */
function isNewlyExpired(eb: OfTransfers, { since, now }: Span) {
  return eb.and([
    eb('status', '=', 'ready'),
    eb('expiresAt', '<=', now),
    eb('expiresAt', '>', since),
    eb.or([eb('expiryNoticeAt', 'is', null), eb('expiryNoticeAt', '<', eb.ref('expiresAt'))]),
  ]);
}

export type Ending = {
  now: number;
  /** A reminder is due this long before the end … */
  leadMs: number;
  /** … and no longer worth sending this long after it was due. */
  staleMs: number;
};

/** Transfers that are about to end and can still be downloaded, not yet reminded of, in the order of their ids. */
export async function listEnding(db: Db, { after, limit }: Page, ending: Ending): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where((eb) => isEnding(eb, ending))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes that the transfer's people are reminded now; false when they were, or it changed, meanwhile. */
export async function takeReminder(trx: Trx, transferId: string, ending: Ending): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set({ remindedAt: ending.now })
    .where('id', '=', transferId)
    .where((eb) => isEnding(eb, ending))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Notes that these recipients are reminded now, and returns them: who has not downloaded, was told of the
 * transfer before the reminder was due, and was not reminded of this end before.
 */
export async function takeWaitingRecipients(
  trx: Trx,
  transferId: string,
  { dueAt, now }: { dueAt: number; now: number },
): Promise<RecipientRow[]> {
  return await trx
    .updateTable('transferRecipients')
    .set({ remindedAt: now })
    .where('transferId', '=', transferId)
    .where('downloadedAt', 'is', null)
    .where('createdAt', '<=', dueAt)
    .where((eb) => eb.or([eb('remindedAt', 'is', null), eb('remindedAt', '<', dueAt)]))
    .returningAll()
    .execute();
}

/**
 * Whoever was reminded before a reminder of the present end was due was reminded of an earlier one: the
 * transfer was extended since.
 */
function isEnding(eb: OfTransfers, { now, leadMs, staleMs }: Ending) {
  const dueAt = eb('expiresAt', '-', leadMs);
  return eb.and([
    eb('status', '=', 'ready'),
    eb('expiresAt', '<=', now + leadMs),
    eb('expiresAt', '>', now + leadMs - staleMs),
    eb(dueAt, '>', eb.fn.coalesce('readyAt', 'createdAt')),
    eb.or([eb('remindedAt', 'is', null), eb('remindedAt', '<', dueAt)]),
    eb('closedAt', 'is', null),
    eb('takenDownAt', 'is', null),
    eb.or([eb('scanState', 'is', null), eb('scanState', '=', 'partial')]),
    eb.or([eb('maxDownloads', 'is', null), eb('downloadCount', '<', eb.ref('maxDownloads'))]),
    eb.or([eb('scheduledAvailableAt', 'is', null), eb('scheduledAvailableAt', '<=', now)]),
  ]);
}
