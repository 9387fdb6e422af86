import type { ExpressionBuilder } from 'kysely';
import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import type { AbuseReport, listReports as listReportsCall } from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import type { Database } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import { encryptionVersionOf } from '../../transfers/index.ts';
import { type By, recordAct } from '../audit.ts';
import { takeDown } from './transfer-acts.ts';

type Query = z.output<NonNullable<typeof listReportsCall.query>>;

/**
 * Lists open reports first, then settled ones, each newest first. Throws AppError `invalid_input` for an invalid
 * cursor.
 */
export async function listReports({ db }: Pick<Context, 'db'>, query: Query): Promise<Page<AbuseReport>> {
  const { state, limit = ADMIN_PAGE_DEFAULT } = query;
  const start = readStart(query);
  const open = start.isSettled
    ? []
    : await selectReports(db, { isSettled: false, after: start.after, limit: limit + 1 });
  if (open.length > limit || state === 'open') {
    const { shown, nextCursor } = cutPage(open, { sort: 'open', limit });
    return { items: shown.map(presentReport), nextCursor };
  }
  const after = start.isSettled ? start.after : undefined;
  const settled = await selectReports(db, { isSettled: true, after, limit: limit + 1 - open.length });
  const rows = [...open, ...settled];
  // A page that ends with the last open report is followed by the first settled one.
  const endsOpen = rows.length > limit && open.length === limit;
  const { shown, nextCursor } = cutPage(rows, { limit, sort: endsOpen ? 'open' : 'settled' });
  return { items: shown.map(presentReport), nextCursor };
}

function readStart({ cursor, state }: Query) {
  if (state !== 'settled') {
    try {
      return { isSettled: false, after: readCursor(cursor, 'open') };
    } catch (error) {
      if (state === 'open') throw error;
    }
  }
  return { isSettled: true, after: readCursor(cursor, 'settled') };
}

type Settling = { id: string; verdict: 'dismiss' | 'take-down'; by: By };

/**
 * Dismisses a report, or takes down its transfer, which settles all the transfer's open reports. Does nothing if the
 * report is already settled. Throws AppError `report_not_found`.
 */
export async function settleReport(context: Context, { id, verdict, by }: Settling): Promise<AbuseReport> {
  const { db } = context;
  await transaction(db, async (trx) => {
    const report = await findReport(trx, id);
    if (!report) throw new AppError('report_not_found');
    const { transferId, reason } = report;
    if (verdict === 'take-down')
      return takeDown({ ...context, db: trx }, { transferId, by, details: { reason } });
    if (!(await settleOne(trx, { id, now: by.at }))) return;
    const subject = nameTransfer(report);
    const details = { owner: report.owner, reason };
    await recordAct(trx, { ...by, action: 'report.dismiss', subject, subjectId: transferId, details });
  });
  const settled = await findReport(db, id);
  if (!settled) throw new AppError('report_not_found');
  return presentReport(settled);
}

function presentReport(row: ShownReport): AbuseReport {
  return {
    id: row.id,
    transferId: row.transferId,
    title: row.title,
    firstFileName: row.firstFileName,
    encryption: encryptionVersionOf(row),
    fileCount: row.fileCount,
    transferCreatedAt: toIso(row.transferCreatedAt),
    owner: row.owner,
    reason: row.reason,
    details: row.details,
    reporterEmail: row.reporterEmail,
    createdAt: toIso(row.createdAt),
    settledAt: toIsoOrNull(row.settledAt),
    isTakenDown: row.takenDownAt !== null,
  };
}

type ReportPage = { isSettled: boolean; after: Position | undefined; limit: number };

function selectReports(db: Db, { isSettled, after, limit }: ReportPage) {
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

function findReport(db: Db, id: string) {
  return selectShown(db).where('abuseReports.id', '=', id).executeTakeFirst();
}

type ShownReport = NonNullable<Awaited<ReturnType<typeof findReport>>>;

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
        'transfers.encryption',
        'transfers.createdAt as transferCreatedAt',
        'transfers.takenDownAt',
        'transfers.fileCount',
        firstFileName,
        'users.username as owner',
      ])
      // With this condition SQLite starts from the reports instead of all ready transfers.
      .where('transfers.status', 'not in', ['draft', 'deleting'])
  );
}

async function settleOne(trx: Trx, { id, now }: { id: string; now: number }): Promise<boolean> {
  const settled = await trx
    .updateTable('abuseReports')
    .set({ settledAt: now })
    .where('id', '=', id)
    .where('settledAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return settled !== undefined;
}
