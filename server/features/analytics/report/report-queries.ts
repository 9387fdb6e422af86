import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { Database, TransferRow } from '../../../platform/db/schema.ts';
import { ALL_FILES, monthly, type TotalsRow } from '../totals/tally.ts';
import { type Days, splitByMonth } from './day-range.ts';

export type Subject = { transferId: string } | { userId: string };
type Dimension = 'country' | 'device' | 'referer' | 'file' | 'transfer';

/** More uncounted rows than this appear only once they are counted. */
const TAIL_MAX = 10_000;
/** More than the response lists, because uncounted events may change the order of the last ones. */
const REFERERS_READ = 200;
const TRANSFERS_READ = 40;

function ofSubject(db: Db, subject: Subject): SelectQueryBuilder<{ totals: TotalsRow }, 'totals', TotalsRow> {
  const columns = ['day', 'dimension', 'value', 'views', 'downloads', 'completed'] as const;
  const query =
    'transferId' in subject
      ? db.selectFrom('transferTotals as totals').select(columns).where('transferId', '=', subject.transferId)
      : db.selectFrom('userTotals as totals').select(columns).where('userId', '=', subject.userId);
  return query as unknown as SelectQueryBuilder<{ totals: TotalsRow }, 'totals', TotalsRow>;
}

/** By month where the range covers whole months, otherwise by day. */
function readValues(db: Db, subject: Subject, { dimension, ...days }: Days & { dimension: Dimension }) {
  const { months, rest } = splitByMonth(days);
  return db.with('totals', () =>
    ofSubject(db, subject)
      .where('dimension', 'in', [dimension, monthly(dimension)])
      // Days and months have different lengths, so their keys never collide.
      .where('day', 'in', [...months, ...rest]),
  );
}

export function listTotalsByDay(trx: Trx, subject: Subject, days: Days) {
  return ofSubject(trx, subject)
    .where('dimension', '=', 'all')
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .execute();
}

export function listZipsByDay(trx: Trx, subject: Subject, days: Days) {
  return ofSubject(trx, subject)
    .where('dimension', '=', 'file')
    .where('value', '=', ALL_FILES)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .execute();
}

export function listTotalsByValue(trx: Trx, subject: Subject, days: Days & { dimension: Dimension }) {
  return readValues(trx, subject, days)
    .selectFrom('totals')
    .select(({ fn }) => [
      'value',
      fn.sum<number>('views').as('views'),
      fn.sum<number>('downloads').as('downloads'),
    ])
    .groupBy('value')
    .execute();
}

export function listMostReferers(trx: Trx, subject: Subject, days: Days) {
  return readValues(trx, subject, { ...days, dimension: 'referer' })
    .selectFrom('totals')
    .select(({ fn }) => ['value', fn.sum<number>('views').as('views')])
    .groupBy('value')
    .orderBy(({ fn }) => fn.sum<number>('views'), 'desc')
    .orderBy('value')
    .limit(REFERERS_READ)
    .execute();
}

const NAMED = [
  'transfers.id',
  'transfers.title',
  'transfers.encryption',
  'transfers.fileCount',
  'transfers.createdAt',
  'transfers.status',
] as const;

type Titled = Pick<TransferRow, 'id' | 'title' | 'encryption' | 'fileCount' | 'createdAt' | 'status'> & {
  firstFileName: string | null;
  views: number;
  downloads: number;
};

/** Callers filter by `status`, because that condition in SQL would mislead the query planner. */
export function listMostDownloaded(trx: Trx, userId: string, days: Days): Promise<Titled[]> {
  return readValues(trx, { userId }, { ...days, dimension: 'transfer' })
    .selectFrom('totals')
    .innerJoin('transfers', 'transfers.id', 'totals.value')
    .select(({ fn }) => [
      ...NAMED,
      firstFileName,
      fn.sum<number>('views').as('views'),
      fn.sum<number>('downloads').as('downloads'),
    ])
    .where('transfers.userId', '=', userId)
    .groupBy(NAMED)
    .orderBy(({ fn }) => fn.sum<number>('downloads'), 'desc')
    .orderBy('transfers.id')
    .limit(TRANSFERS_READ)
    .execute();
}

export async function listNamedTransfers(
  trx: Trx,
  { userId, ids, days }: { userId: string; ids: string[]; days: Days },
): Promise<Titled[]> {
  if (ids.length === 0) return [];
  return await readValues(trx, { userId }, { ...days, dimension: 'transfer' })
    .selectFrom('transfers')
    .leftJoin('totals', 'totals.value', 'transfers.id')
    .select(({ fn, lit }) => [
      ...NAMED,
      firstFileName,
      fn.coalesce(fn.sum<number>('views'), lit(0)).as('views'),
      fn.coalesce(fn.sum<number>('downloads'), lit(0)).as('downloads'),
    ])
    .where('transfers.id', 'in', ids.slice(0, TRANSFERS_READ))
    .where('transfers.userId', '=', userId)
    .groupBy(NAMED)
    .execute();
}

function belongsTo(subject: Subject) {
  return (eb: ExpressionBuilder<Database & { tail: { transferId: string } }, 'tail'>) =>
    'transferId' in subject
      ? eb('tail.transferId', '=', subject.transferId)
      : eb.exists(
          eb
            .selectFrom('transfers')
            .select('transfers.id')
            .whereRef('transfers.id', '=', 'tail.transferId')
            .where('transfers.userId', '=', subject.userId),
        );
}

export function listTailOfDownloads(trx: Trx, subject: Subject) {
  return trx
    .with('tail', (query) =>
      query
        .selectFrom('downloads')
        .select([
          'transferId',
          'downloadedAt',
          'ipAddress',
          'userAgent',
          'fileId',
          'selection',
          'completedAt',
        ])
        .where('countedAt', 'is', null)
        .$if('transferId' in subject, (its) => its.where('transferId', '=', idIn(subject)))
        .limit(TAIL_MAX),
    )
    .selectFrom('tail')
    .selectAll()
    .where(belongsTo(subject))
    .execute();
}

/** Uncounted completions of counted downloads. */
export function listTailOfCompletions(trx: Trx, subject: Subject) {
  return trx
    .with('tail', (query) =>
      query
        .selectFrom('downloads')
        .select(['transferId', 'downloadedAt'])
        .where('countedCompletedAt', 'is', null)
        .where('completedAt', 'is not', null)
        .where('countedAt', 'is not', null)
        .$if('transferId' in subject, (its) => its.where('transferId', '=', idIn(subject)))
        .limit(TAIL_MAX),
    )
    .selectFrom('tail')
    .select('downloadedAt')
    .where(belongsTo(subject))
    .execute();
}

export function listTailOfViews(trx: Trx, subject: Subject) {
  return trx
    .with('tail', (query) =>
      query
        .selectFrom('transferViews')
        .select(['transferId', 'viewedAt', 'ipAddress', 'userAgent', 'referer'])
        .where('countedAt', 'is', null)
        .$if('transferId' in subject, (its) => its.where('transferId', '=', idIn(subject)))
        .limit(TAIL_MAX),
    )
    .selectFrom('tail')
    .selectAll()
    .where(belongsTo(subject))
    .execute();
}

function idIn(subject: Subject): string {
  return 'transferId' in subject ? subject.transferId : '';
}

export function findOwnTransfer(trx: Trx, { transferId, userId }: { transferId: string; userId: string }) {
  return trx
    .selectFrom('transfers')
    .select(['id', 'zipCount'])
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', 'in', PUBLIC_STATUSES)
    .executeTakeFirst();
}

const MAX_FILES = 1_000;

type FileChoice = { ids: string[]; positions: number[] };

export async function listFilesOf(trx: Trx, transferId: string, { ids, positions }: FileChoice) {
  const files = trx
    .selectFrom('files')
    .select(['id', 'relativePath', 'position', 'uploadedAt', 'zipBase'])
    .where('transferId', '=', transferId);
  const first = await files.orderBy('position').limit(MAX_FILES).execute();
  const last = first.at(-1);
  if (first.length < MAX_FILES || !last || ids.length + positions.length === 0) return first;
  const others = await files
    .where('position', '>', last.position)
    .where((eb) => eb.or([eb('id', 'in', [...ids, '']), eb('position', 'in', [...positions, -1])]))
    .orderBy('position')
    .execute();
  return [...first, ...others];
}
