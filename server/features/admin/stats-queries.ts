import type { Db } from '../../platform/db/open.ts';
import type { Instant, Tier } from '../../platform/db/schema.ts';

/** Living accounts by their plan: all that an index counts, less the few that wait to be removed. */
export async function countUsersByTier(db: Db): Promise<Record<Tier, number>> {
  const counts: Record<Tier, number> = { free: 0, pro: 0, premium: 0 };
  const all = await db
    .selectFrom('users')
    .select(({ fn }) => ['tier', fn.countAll().as('count')])
    .groupBy('tier')
    .execute();
  for (const { tier, count } of all) counts[tier] += Number(count);
  // By comparing, which the index of `deletedAt` takes; it leaves nulls out.
  const deleted = await db.selectFrom('users').select('tier').where('deletedAt', '>', 0).execute();
  for (const { tier } of deleted) counts[tier] -= 1;
  return counts;
}

/** Whether there are so many transfers. */
export async function areThereTransfers(db: Db, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .orderBy('readyAt')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** When the first of those that are there became ready. */
export async function findFirstReady(db: Db): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .where('readyAt', '>', 0)
    .orderBy('readyAt')
    .limit(1)
    .executeTakeFirst();
  return row?.readyAt ?? undefined;
}

/** Ready transfers that end within a time. */
export async function countEnding(
  db: Db,
  { after, until }: { after: Instant; until: Instant },
): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'ready')
    .where('expiresAt', '>', after)
    .where('expiresAt', '<=', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Bytes of what did not become ready, less those of what did and is deleted: few either way. */
export async function sumExceptions(db: Db): Promise<number> {
  const rows = await db
    .selectFrom('transfers')
    .select(({ fn }) => ['status', fn.sum('totalBytes').as('bytes')])
    .where((eb) =>
      eb.or([
        eb('status', '=', 'draft'),
        eb.and([eb('status', '=', 'deleting'), eb('readyAt', 'is not', null)]),
      ]),
    )
    .groupBy('status')
    .execute();
  return rows.reduce((sum, { status, bytes }) => sum + (status === 'draft' ? 1 : -1) * Number(bytes ?? 0), 0);
}
