import type { Db } from '../../platform/db/open.ts';
import type { JobRow } from '../../platform/db/schema.ts';

const SHOWN = [
  'id',
  'name',
  'attempts',
  'runAt',
  'createdAt',
  'leasedUntil',
  'lastError',
  'failedAt',
] as const satisfies (keyof JobRow)[];
/** All but the payload, which holds tokens. */
export type ShownJob = Pick<JobRow, (typeof SHOWN)[number]>;

/** Given up, the latest first. */
export function selectFailedJobs(db: Db, limit: number): Promise<ShownJob[]> {
  return db
    .selectFrom('jobs')
    .select(SHOWN)
    .where('failedAt', 'is not', null)
    .orderBy('failedAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Those that run, then those that wait, whoever is due first. */
export async function selectLiveJobs(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<ShownJob[]> {
  const live = db.selectFrom('jobs').select(SHOWN).where('failedAt', 'is', null).limit(limit);
  const running = await live.where('leasedUntil', '>=', now).orderBy('runAt').orderBy('id').execute();
  const waiting = await live
    .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<', now)]))
    .orderBy('runAt')
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return [...running, ...waiting].slice(0, limit);
}
