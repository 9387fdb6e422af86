import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database } from '../../platform/db/schema.ts';
import type { Position } from '../../platform/lib/cursor.ts';

type ReportPage = { isSettled: boolean; after: Position | undefined; limit: number };

/** Open reports, or settled ones, of transfers that are still there; the latest first. */
export function selectReports(db: Db, { isSettled, after, limit }: ReportPage) {
  const key = isSettled ? 'abuseReports.settledAt' : 'abuseReports.createdAt';
  return selectShown(db)
    .select(`${key} as sortKey` as const)
    .where('abuseReports.settledAt', isSettled ? 'is not' : 'is', null)
    .$if(after !== undefined, (query) =>
      query.where(key, '<=', after!.key as number).where((eb) => isBehind(eb, key, after!)),
    )
    .orderBy(key, 'desc')
    .orderBy('abuseReports.id', 'desc')
    .limit(limit)
    .execute();
}

function isBehind(
  eb: ExpressionBuilder<Database, 'abuseReports' | 'transfers' | 'users'>,
  key: 'abuseReports.settledAt' | 'abuseReports.createdAt',
  after: Position,
) {
  return eb.or([eb(key, '<', after.key as number), eb('abuseReports.id', '<', after.id)]);
}

export function findReport(db: Db, id: string) {
  return selectShown(db).where('abuseReports.id', '=', id).executeTakeFirst();
}

export type ShownReport = NonNullable<Awaited<ReturnType<typeof findReport>>>;

function selectShown(db: Db) {
  return (
    db
      .selectFrom('abuseReports')
      .innerJoin('transfers', 'transfers.id', 'abuseReports.transferId')
      .innerJoin('users', 'users.id', 'transfers.userId')
      .select([
        'abuseReports.id',
        'abuseReports.transferId',
        'abuseReports.reason',
        'abuseReports.details',
        'abuseReports.reporterEmail',
        'abuseReports.createdAt',
        'abuseReports.settledAt',
        'transfers.title',
        'transfers.createdAt as transferCreatedAt',
        'transfers.takenDownAt',
        'users.username as owner',
      ])
      // Written like this, SQLite begins with the reports and not with all transfers that are ready.
      .where('transfers.status', 'not in', ['draft', 'deleting'])
  );
}

/** False when it was settled already, or is unknown. */
export async function settleOne(trx: Trx, { id, now }: { id: string; now: number }): Promise<boolean> {
  const settled = await trx
    .updateTable('abuseReports')
    .set({ settledAt: now })
    .where('id', '=', id)
    .where('settledAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return settled !== undefined;
}

/** Settles all open reports of a transfer; returns how many. */
export async function settleReportsOf(
  trx: Trx,
  { transferId, now }: { transferId: string; now: number },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('abuseReports')
    .set({ settledAt: now })
    .where('transferId', '=', transferId)
    .where('settledAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
