import type { Expression, ExpressionBuilder } from 'kysely';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { type Db, isSqlite, type Trx } from '../../../platform/db/open.ts';
import { CLOSED_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { Database, TransferRow } from '../../../platform/db/schema.ts';
import { enqueueAll } from '../../../platform/jobs/queue.ts';
import { dropMailsOfTransfers } from '../../../platform/mail/outbox.ts';
import { subtractUsage } from '../limits/usage.ts';
import { removeTransferDataJob } from './deletion.ts';
import { type FateContext, recordTransferFates } from './fates.ts';

export async function removeTransfers(context: FateContext, ids: string[]): Promise<AffectedTransfer[]> {
  const { db: trx } = context;
  const lockedIds = await lockPublicTransfers(trx, ids);
  if (lockedIds.length === 0) return [];
  const removed = await markAsDeleting(trx, lockedIds);
  await recordTransferFates(context, 'deleted-by-admin', removed);
  const removedIds = removed.map(({ id }) => id);
  for (const share of await sumUnfinished(trx, removedIds)) await subtractUsage(trx, share);
  await dropMailsOfTransfers(trx, removedIds);
  await enqueueAll(
    trx,
    removeTransferDataJob,
    removedIds.map((transferId) => ({ payload: { transferId }, uniqueKey: transferId })),
  );
  return removed;
}

/**
 * Extends public transfers from their expiry, or from now if they have expired; one that is still arriving gets more time
 * after its arrival. An expired transfer whose data still exists becomes available again. The plan's retention does not
 * apply. Returns the extended transfers; ignores others.
 */
export async function extendTransfers(
  trx: Trx,
  { ids, days, now }: { ids: string[]; days: number; now: number },
): Promise<AffectedTransfer[]> {
  const lockedIds = await lockPublicTransfers(trx, ids);
  if (lockedIds.length === 0) return [];
  return extendPublic(trx, { ids: lockedIds, addedMs: days * DAY_MS, now });
}

/** Also drops pending mails. Returns undefined if the transfer is unknown, deleted or already taken down. */
export async function takeDownTransfer(
  context: FateContext,
  { transferId, now }: { transferId: string; now: number },
): Promise<AffectedTransfer | undefined> {
  const { db: trx } = context;
  const closed = await updateTakenDown(trx, { transferId, takenDownAt: now });
  if (!closed) return findPublicTransfer(trx, transferId);
  await recordTransferFates(context, 'taken-down', [closed]);
  await dropMailsOfTransfers(trx, [transferId]);
  return closed;
}

/** Dropped mails stay dropped. Returns undefined if the transfer is unknown, deleted or not taken down. */
export async function reopenTransfer(
  context: FateContext,
  transferId: string,
): Promise<AffectedTransfer | undefined> {
  const reopened = await updateTakenDown(context.db, { transferId, takenDownAt: null });
  if (!reopened) return findPublicTransfer(context.db, transferId);
  await recordTransferFates(context, 'reopened', [reopened]);
  return reopened;
}

type AffectedTransfer = Pick<TransferRow, 'id' | 'title' | 'token' | 'userId' | 'createdAt'>;
const AFFECTED_COLUMNS = [
  'id',
  'title',
  'token',
  'userId',
  'createdAt',
] as const satisfies (keyof AffectedTransfer)[];

/** Locks in a fixed order so that two batches cannot deadlock. */
async function lockPublicTransfers(trx: Trx, ids: string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('transfers')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'not in', CLOSED_STATUSES)
    .orderBy('id')
    .$if(!isSqlite(trx), (query) => query.forUpdate())
    .execute();
  return rows.map(({ id }) => id);
}

function markAsDeleting(trx: Trx, ids: string[]): Promise<AffectedTransfer[]> {
  return trx
    .updateTable('transfers')
    .set({ status: 'deleting' })
    .where('id', 'in', ids)
    .where('status', 'not in', CLOSED_STATUSES)
    .returning(AFFECTED_COLUMNS)
    .execute();
}

/** A transfer that never expires stays that way. */
function extendPublic(
  trx: Trx,
  { ids, addedMs, now }: { ids: string[]; addedMs: number; now: number },
): Promise<AffectedTransfer[]> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      expiresAt: eb(laterOf(eb, now), '+', addedMs),
      expiresAfterMs: eb('expiresAfterMs', '+', addedMs),
      isExpired: 0,
    }))
    .where('id', 'in', ids)
    .where('status', 'not in', CLOSED_STATUSES)
    .returning(AFFECTED_COLUMNS)
    .execute();
}

function laterOf(eb: ExpressionBuilder<Database, 'transfers'>, now: number): Expression<number | null> {
  return eb
    .case()
    .when('expiresAt', '<', now)
    .then(eb.cast<number>(eb.val(now), 'bigint'))
    .else(eb.ref('expiresAt'))
    .end();
}

function updateTakenDown(
  trx: Trx,
  { transferId, takenDownAt }: { transferId: string; takenDownAt: number | null },
): Promise<AffectedTransfer | undefined> {
  return trx
    .updateTable('transfers')
    .set({ takenDownAt })
    .where('id', '=', transferId)
    .where('status', 'not in', CLOSED_STATUSES)
    .where('takenDownAt', takenDownAt === null ? 'is not' : 'is', null)
    .returning(AFFECTED_COLUMNS)
    .executeTakeFirst();
}

function findPublicTransfer(trx: Trx, transferId: string): Promise<AffectedTransfer | undefined> {
  return trx
    .selectFrom('transfers')
    .select(AFFECTED_COLUMNS)
    .where('id', '=', transferId)
    .where('status', 'not in', CLOSED_STATUSES)
    .executeTakeFirst();
}

function sumUnfinished(
  db: Db,
  transferIds: string[],
): Promise<{ userId: string; month: string; bytes: number }[]> {
  return db
    .selectFrom('uploads')
    .select(({ fn }) => ['userId', 'usageMonth as month', fn.sum<number>('sizeBytes').as('bytes')])
    .where('transferId', 'in', transferIds)
    .where('state', '=', 'open')
    .groupBy(['userId', 'usageMonth'])
    .orderBy('userId')
    .orderBy('usageMonth')
    .execute();
}
