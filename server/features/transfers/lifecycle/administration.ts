import type { Expression, ExpressionBuilder } from 'kysely';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { type Db, isSqlite, type Trx } from '../../../platform/db/open.ts';
import type { Database, TransferRow } from '../../../platform/db/schema.ts';
import { enqueueAll } from '../../../platform/jobs/queue.ts';
import { dropMailsOfTransfers } from '../../../platform/mail/outbox.ts';
import { subtractUsage } from '../limits/usage.ts';
import { removeTransferDataJob } from './deletion.ts';
import { type FateContext, recordTransferFates } from './fates.ts';

/**
 * Like `removeTransfer`, for many public transfers in few statements. Returns those that this call deleted; others are
 * ignored.
 */
export async function removeTransfers(context: FateContext, ids: string[]): Promise<ActedOn[]> {
  const { db: trx } = context;
  const held = await lockReadyTransfers(trx, ids);
  if (held.length === 0) return [];
  const removed = await markReadyAsDeleting(trx, held);
  await recordTransferFates(context, 'deleted-by-admin', removed);
  const gone = removed.map(({ id }) => id);
  for (const share of await sumUnfinished(trx, gone)) await subtractUsage(trx, share);
  await dropMailsOfTransfers(trx, gone);
  await enqueueAll(
    trx,
    removeTransferDataJob,
    gone.map((transferId) => ({ payload: { transferId }, uniqueKey: transferId })),
  );
  return removed;
}

/**
 * Extends public transfers by a number of days from their expiry, or from now if they have expired; an expired
 * transfer whose data still exists opens again. The plan's retention does not apply. Returns those that were extended;
 * others are ignored.
 */
export async function extendTransfers(
  trx: Trx,
  { ids, days, now }: { ids: string[]; days: number; now: number },
): Promise<ActedOn[]> {
  const held = await lockReadyTransfers(trx, ids);
  if (held.length === 0) return [];
  return prolongReady(trx, { ids: held, addedMs: days * DAY_MS, now });
}

/** Closes a transfer to everybody but its owner; what waits to be mailed about it is not sent any more. */
export async function takeDownTransfer(
  context: FateContext,
  { transferId, now }: { transferId: string; now: number },
): Promise<ActedOn | undefined> {
  const { db: trx } = context;
  const closed = await updateTakenDown(trx, { transferId, takenDownAt: now });
  if (!closed) return findReadyTransfer(trx, transferId);
  await recordTransferFates(context, 'taken-down', [closed]);
  await dropMailsOfTransfers(trx, [transferId]);
  return closed;
}

/** The reverse; mails that were dropped stay so. Like it, undefined for what is unknown or gone. */
export async function reopenTransfer(context: FateContext, transferId: string): Promise<ActedOn | undefined> {
  const reopened = await updateTakenDown(context.db, { transferId, takenDownAt: null });
  if (!reopened) return findReadyTransfer(context.db, transferId);
  await recordTransferFates(context, 'reopened', [reopened]);
  return reopened;
}

/** What an act is noted about. */
type ActedOn = Pick<TransferRow, 'id' | 'title' | 'token' | 'userId' | 'createdAt'>;
const ACTED_ON = ['id', 'title', 'token', 'userId', 'createdAt'] as const satisfies (keyof ActedOn)[];

/** Said like this no index takes it: SQLite would rather read all that are ready than look up a thousand ids. */
const NOT_PUBLIC: TransferRow['status'][] = ['draft', 'deleting'];

/**
 * Those of the transfers that are public, held until the transaction ends; always in the same order, so that
 * two batches cannot wait for each other.
 */
async function lockReadyTransfers(trx: Trx, ids: string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('transfers')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'not in', NOT_PUBLIC)
    .orderBy('id')
    // SQLite has one writer at a time anyway.
    .$if(!isSqlite(trx), (query) => query.forUpdate())
    .execute();
  return rows.map(({ id }) => id);
}

function markReadyAsDeleting(trx: Trx, ids: string[]): Promise<ActedOn[]> {
  return trx
    .updateTable('transfers')
    .set({ status: 'deleting' })
    .where('id', 'in', ids)
    .where('status', 'not in', NOT_PUBLIC)
    .returning(ACTED_ON)
    .execute();
}

/** Each from its present end, an expired one from now; one without an end keeps none. */
function prolongReady(
  trx: Trx,
  { ids, addedMs, now }: { ids: string[]; addedMs: number; now: number },
): Promise<ActedOn[]> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({ expiresAt: eb(laterOf(eb, now), '+', addedMs), isExpired: 0 }))
    .where('id', 'in', ids)
    .where('status', 'not in', NOT_PUBLIC)
    .returning(ACTED_ON)
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

/** Closes or opens a public transfer. Undefined when it is so already, or gone. */
function updateTakenDown(
  trx: Trx,
  { transferId, takenDownAt }: { transferId: string; takenDownAt: number | null },
): Promise<ActedOn | undefined> {
  return trx
    .updateTable('transfers')
    .set({ takenDownAt })
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('takenDownAt', takenDownAt === null ? 'is not' : 'is', null)
    .returning(ACTED_ON)
    .executeTakeFirst();
}

function findReadyTransfer(trx: Trx, transferId: string): Promise<ActedOn | undefined> {
  return trx
    .selectFrom('transfers')
    .select(ACTED_ON)
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .executeTakeFirst();
}

/** What the transfers' unfinished uploads have set aside, by whom and in which month. */
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
