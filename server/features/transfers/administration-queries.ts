import type { Expression, ExpressionBuilder } from 'kysely';
import { type Db, isSqlite, type Trx } from '../../platform/db/open.ts';
import type { Database, TransferRow } from '../../platform/db/schema.ts';

/** What an act is noted about. */
export type ActedOn = Pick<TransferRow, 'id' | 'title' | 'token' | 'userId' | 'createdAt'>;
const ACTED_ON = ['id', 'title', 'token', 'userId', 'createdAt'] as const satisfies (keyof ActedOn)[];

/** Said like this no index takes it: SQLite would rather read all that are ready than look up a thousand ids. */
const NOT_PUBLIC: TransferRow['status'][] = ['draft', 'deleting'];

/**
 * Those of the transfers that are public, held until the transaction ends; always in the same order, so that
 * two batches cannot wait for each other.
 */
export async function lockReadyTransfers(trx: Trx, ids: string[]): Promise<string[]> {
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

export function markReadyAsDeleting(trx: Trx, ids: string[]): Promise<ActedOn[]> {
  return trx
    .updateTable('transfers')
    .set({ status: 'deleting' })
    .where('id', 'in', ids)
    .where('status', 'not in', NOT_PUBLIC)
    .returning(ACTED_ON)
    .execute();
}

/** Each from its present end, an expired one from now; one without an end keeps none. */
export function prolongReady(
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
export function updateTakenDown(
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

export function findReadyTransfer(trx: Trx, transferId: string): Promise<ActedOn | undefined> {
  return trx
    .selectFrom('transfers')
    .select(ACTED_ON)
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .executeTakeFirst();
}

/** What the transfers' unfinished uploads have set aside, by whom and in which month. */
export function sumUnfinished(
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
