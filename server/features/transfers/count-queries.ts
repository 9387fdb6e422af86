import type { CountQuotas } from '../../../contracts/plans/tiers.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';

type Addition = { userId: string; more: CountQuotas; quotas: CountQuotas };

/** Adds to an account's counts unless one of them would pass its quota; false also without a row. */
export async function addCounts(trx: Trx, { userId, more, quotas }: Addition): Promise<boolean> {
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
    // Files for a draft that exists already need no place among the transfers.
    .$if(more.drafts > 0, (query) =>
      query
        .where('drafts', '<=', quotas.drafts - more.drafts)
        .where('transfers', '<=', quotas.transfers - more.transfers),
    )
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Creates the row if it is missing and locks it. On PostgreSQL a statement that follows sees what transactions have
 * committed that held the lock before.
 */
export async function lockCounts(trx: Trx, userId: string): Promise<{ countedAt: Instant }> {
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
 * Replaces an account's counts by exact ones, from indexes alone, while their row is locked. Open uploads are counted
 * first: one that is completed meanwhile counts twice rather than not at all.
 */
export async function recount(trx: Trx, userId: string, now: Instant): Promise<void> {
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
    .where('status', 'in', ['draft', 'ready'])
    .groupBy('status')
    .execute();
  const sumOf = (column: 'transfers' | 'files') => byStatus.reduce((sum, row) => sum + (row[column] ?? 0), 0);
  const drafts = byStatus.find(({ status }) => status === 'draft')?.transfers ?? 0;
  await trx
    .updateTable('accountCounts')
    .set({
      openUploads,
      drafts,
      transfers: sumOf('transfers'),
      files: sumOf('files') + openUploads,
      countedAt: now,
    })
    .where('userId', '=', userId)
    .execute();
}

/** Zeros for an account that was never counted. */
export async function findCounts(trx: Trx, userId: string): Promise<CountQuotas> {
  const row = await trx
    .selectFrom('accountCounts')
    .select(['openUploads', 'drafts', 'transfers', 'files'])
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row ?? { openUploads: 0, drafts: 0, transfers: 0, files: 0 };
}
