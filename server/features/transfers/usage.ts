import type { Db, Trx } from '../../platform/db/open.ts';

type Usage = { userId: string; month: string; bytes: number };

/** Adds to a month unless that would pass its limit, in one statement. Returns whether it did. */
export async function addUsage(
  trx: Trx,
  { userId, month, bytes, monthlyTotal }: Usage & { monthlyTotal: number },
): Promise<boolean> {
  if (bytes > monthlyTotal) return false;
  const row = await trx
    .insertInto('monthlyUsage')
    .values({ userId, month, bytes })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'month'])
        .doUpdateSet((eb) => ({ bytes: eb('monthlyUsage.bytes', '+', bytes) }))
        .where('monthlyUsage.bytes', '<=', monthlyTotal - bytes),
    )
    .returning('bytes')
    .executeTakeFirst();
  return row !== undefined;
}

export async function subtractUsage(trx: Trx, { userId, month, bytes }: Usage): Promise<void> {
  await trx
    .updateTable('monthlyUsage')
    .set((eb) => ({ bytes: eb('bytes', '-', bytes) }))
    .where('userId', '=', userId)
    .where('month', '=', month)
    .execute();
}

/** Bytes counted in a month so far. */
export async function findUsage(trx: Db, userId: string, month: string): Promise<number> {
  const row = await trx
    .selectFrom('monthlyUsage')
    .select('bytes')
    .where('userId', '=', userId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Gives back what a transfer's unfinished uploads had set aside; complete files stay counted. */
export async function releaseUnfinished(trx: Trx, transferId: string): Promise<void> {
  const shares = await trx
    .selectFrom('uploads')
    .select(({ fn }) => ['userId', 'usageMonth as month', fn.sum<number>('sizeBytes').as('bytes')])
    .where('transferId', '=', transferId)
    .where('state', '=', 'open')
    .where('repairsFileId', 'is', null)
    .groupBy(['userId', 'usageMonth'])
    .execute();
  for (const share of shares) await subtractUsage(trx, share);
}
