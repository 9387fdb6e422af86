import { COUNT_QUOTAS, type CountQuotas, TIERS } from '../../../../contracts/plans/tiers.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { msg } from '../../../platform/language/marker.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';

/** A recount may read several hundred thousand index entries, so callers at their quota must not trigger it at will. */
const RECOUNT_AFTER_MS = 5 * SECOND_MS;

type Claim = {
  owner: Pick<UserRow, 'id' | 'tier'>;
  files: number;
  /** Of the files, those that are still to be uploaded. By default all. */
  openUploads?: number;
  /** Drafts created by this transaction: 0 or 1. */
  drafts: number;
};

/**
 * Counts new files against the quotas of the owner's plan in one conditional statement, so parallel callers never
 * exceed a quota. Call it within `retryAfterRecount`. Throws AppError `count_quota_exceeded`.
 */
export async function claimCounts(
  trx: Trx,
  { owner, files, openUploads = files, drafts }: Claim,
): Promise<void> {
  const quotas = COUNT_QUOTAS[owner.tier];
  const more: CountQuotas = { openUploads, files, drafts, transfers: drafts };
  if (await addCounts(trx, { userId: owner.id, more, quotas })) return;
  throw await explainRefusal(trx, owner, more);
}

/**
 * `announce` is a transaction that claims counts. The counters only grow; a recount subtracts completed and deleted
 * uploads. So after a refusal, unless the counters are recent, this recounts and runs `announce` again.
 */
export async function retryAfterRecount<Result>(
  context: Pick<Context, 'db' | 'clock'>,
  userId: string,
  announce: () => Promise<Result>,
): Promise<Result> {
  const startedAt = context.clock.now();
  try {
    return await announce();
  } catch (error) {
    if (!isAppError(error, 'count_quota_exceeded')) throw error;
    const countedAt = await recountIfDue(context, userId);
    if (countedAt < startedAt) throw error;
    return announce();
  }
}

function recountIfDue({ db, clock }: Pick<Context, 'db' | 'clock'>, userId: string): Promise<number> {
  return transaction(db, async (trx) => {
    const now = clock.now();
    const { countedAt } = await lockCounts(trx, userId);
    // A future timestamp was written while the clock was wrong.
    const isRecent = countedAt + RECOUNT_AFTER_MS > now && countedAt <= now;
    if (isRecent) return countedAt;
    await recount(trx, userId, now);
    return now;
  });
}

type QuotaName = { things: string; advice: string; orUpgrade: string };

const TRIM = {
  advice: msg('Finish or discard some of them.'),
  orUpgrade: msg('Finish or discard some of them, or upgrade your plan.'),
};

const QUOTA_NAMES: Record<keyof CountQuotas, QuotaName> = {
  openUploads: { things: msg('unfinished uploads'), ...TRIM },
  drafts: { things: msg('unfinished transfers'), ...TRIM },
  transfers: {
    things: msg('transfers'),
    advice: msg('Delete some of them.'),
    orUpgrade: msg('Delete some of them, or upgrade your plan.'),
  },
  files: {
    things: msg('files'),
    advice: msg('Delete some of your transfers.'),
    orUpgrade: msg('Delete some of your transfers, or upgrade your plan.'),
  },
};

async function explainRefusal(trx: Trx, { id, tier }: Claim['owner'], more: CountQuotas): Promise<AppError> {
  const quotas = COUNT_QUOTAS[tier];
  const counts = await findCounts(trx, id);
  const names = Object.keys(QUOTA_NAMES) as (keyof CountQuotas)[];
  const passed = names.find((name) => more[name] > 0 && counts[name] + more[name] > quotas[name]);
  const name = passed ?? 'files';
  const { things, advice, orUpgrade } = QUOTA_NAMES[name];
  const isHighest = tier === TIERS.at(-1);
  return new AppError('count_quota_exceeded', {
    details: {
      tier,
      limit: formatCount(quotas[name]),
      things,
      advice: isHighest ? advice : orUpgrade,
    },
  });
}

type Addition = { userId: string; more: CountQuotas; quotas: CountQuotas };

/** Returns false if a counter would exceed its quota or the account has no row yet. */
async function addCounts(trx: Trx, { userId, more, quotas }: Addition): Promise<boolean> {
  const row = await trx
    .updateTable('accountCounts')
    .set((eb) => ({
      openUploads: eb('openUploads', '+', more.openUploads),
      drafts: eb('drafts', '+', more.drafts),
      transfers: eb('transfers', '+', more.transfers),
      files: eb('files', '+', more.files),
    }))
    .where('userId', '=', userId)
    .where('openUploads', '<=', quotas.openUploads - more.openUploads)
    .where('files', '<=', quotas.files - more.files)
    // Files added to an existing draft need no quota for transfers.
    .$if(more.drafts > 0, (query) =>
      query
        .where('drafts', '<=', quotas.drafts - more.drafts)
        .where('transfers', '<=', quotas.transfers - more.transfers),
    )
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/** On PostgreSQL, statements that follow see the commits of earlier lock holders. */
async function lockCounts(trx: Trx, userId: string): Promise<{ countedAt: Instant }> {
  await trx
    .insertInto('accountCounts')
    .values({ userId })
    .onConflict((conflict) => conflict.column('userId').doNothing())
    .execute();
  return trx
    .updateTable('accountCounts')
    .set((eb) => ({ countedAt: eb.ref('countedAt') }))
    .where('userId', '=', userId)
    .returning('countedAt')
    .executeTakeFirstOrThrow();
}

/**
 * Reads indexes only, while the row is locked. Counts open uploads first, so that one completed meanwhile is counted
 * twice rather than not at all.
 */
async function recount(trx: Trx, userId: string, now: Instant): Promise<void> {
  const { openUploads } = await trx
    .selectFrom('uploads')
    .select(({ fn }) => fn.countAll<number>().as('openUploads'))
    .where('userId', '=', userId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  const byStatus = await trx
    .selectFrom('transfers')
    .select(({ fn }) => [
      'status',
      fn.countAll<number>().as('transfers'),
      fn.sum<number | null>('fileCount').as('files'),
    ])
    .where('userId', '=', userId)
    .where('status', 'in', ['draft', 'arriving', 'ready', 'earlier'])
    .groupBy('status')
    .execute();
  // They may come back.
  const restorable = await trx
    .selectFrom('transfers')
    .select(({ fn }) => [
      fn.countAll<number>().as('transfers'),
      fn.sum<number | null>('fileCount').as('files'),
    ])
    .where('userId', '=', userId)
    .where('status', '=', 'deleting')
    .where('restorableUntil', '>', now)
    .executeTakeFirstOrThrow();
  const sumOf = (column: 'transfers' | 'files', rows: typeof byStatus) =>
    rows.reduce((sum, row) => sum + (row[column] ?? 0), restorable[column] ?? 0);
  // Files of earlier versions count, but not as another transfer.
  const counted = byStatus.filter(({ status }) => status !== 'earlier');
  const unfinished = counted.filter(({ status }) => status !== 'ready');
  const drafts = unfinished.reduce((sum, { transfers }) => sum + transfers, 0);
  await trx
    .updateTable('accountCounts')
    .set({
      openUploads,
      drafts,
      transfers: sumOf('transfers', counted),
      files: sumOf('files', byStatus) + openUploads,
      countedAt: now,
    })
    .where('userId', '=', userId)
    .execute();
}

async function findCounts(trx: Trx, userId: string): Promise<CountQuotas> {
  const row = await trx
    .selectFrom('accountCounts')
    .select(['openUploads', 'drafts', 'transfers', 'files'])
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row ?? { openUploads: 0, drafts: 0, transfers: 0, files: 0 };
}
