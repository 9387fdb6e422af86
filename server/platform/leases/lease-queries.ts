import { type ExpressionBuilder, sql } from 'kysely';
import { type Db, isSqlite } from '../db/open.ts';
import { prepare } from '../db/queries/prepared.ts';
import type { Database } from '../db/schema.ts';

export const WHOLE = '';

export type LeaseName = { key: string; slot: string };
type NewLease = LeaseName & { leaseId: string; holder: string };
type Beat = LeaseName & { leaseId: string; isWanted: number; isToEnd: number };

type Duration = { lastsMs: number };
type Leases = ExpressionBuilder<Database, 'leases'>;

/** The database's clock, because the clocks of the processes' machines may differ. */
function nowOf(db: Db) {
  return isSqlite(db)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** A lease that ends too far in the future was written while the clock was wrong. */
function hasEnded(db: Db, { lastsMs }: Duration) {
  const now = nowOf(db);
  return (eb: Leases) =>
    eb.or([eb('leases.endsAt', '<=', now), eb('leases.endsAt', '>', sql<number>`${now} + 2 * ${lastsMs}`)]);
}

/** Returns the names of the acquired leases. Atomic. */
export async function insertLeases(db: Db, leases: NewLease[], { lastsMs }: Duration): Promise<LeaseName[]> {
  const [first, ...others] = leases;
  if (!first || others.length > 0) return buildInsert(db, leases.toSorted(byKey), { lastsMs }).execute();
  return insertOne(db, first.key, first.slot, first.leaseId, first.holder, lastsMs);
}

/** Each chunk needs one. */
const insertOne = prepare((db, key: string, slot: string, leaseId: string, holder: string, lastsMs: number) =>
  buildInsert(db, [{ key, slot, leaseId, holder }], { lastsMs }),
);

function buildInsert(db: Db, leases: NewLease[], duration: Duration) {
  const endsAt = sql<number>`${nowOf(db)} + ${duration.lastsMs}`;
  return db
    .insertInto('leases')
    .values(leases.map((lease) => ({ ...lease, endsAt })))
    .onConflict((conflict) =>
      conflict
        .columns(['key', 'slot'])
        .doUpdateSet((eb) => ({
          leaseId: eb.ref('excluded.leaseId'),
          holder: eb.ref('excluded.holder'),
          endsAt: eb.ref('excluded.endsAt'),
          isWanted: 0,
          isToEnd: 0,
        }))
        .where(hasEnded(db, duration)),
    )
    .returning(['key', 'slot']);
}

/** So that two processes that acquire the same keys cannot deadlock. */
function byKey(a: LeaseName, b: LeaseName): number {
  return a.key < b.key ? -1 : 1;
}

export async function isLeasedAsWhole(db: Db, key: string, duration: Duration): Promise<boolean> {
  const rows = await findWhole(db, key, duration.lastsMs);
  return rows.length > 0;
}

const findWhole = prepare((db, key: string, lastsMs: number) =>
  db
    .selectFrom('leases')
    .select('leaseId')
    .where('key', '=', key)
    .where('slot', '=', WHOLE)
    .where((eb) => eb.not(hasEnded(db, { lastsMs })(eb))),
);

export async function listLeasedKeys(
  db: Db,
  { keys, except = '' }: { keys: string[]; except?: string },
  duration: Duration,
): Promise<string[]> {
  const rows = await db
    .selectFrom('leases')
    .select('key')
    .distinct()
    .where('key', 'in', keys)
    .where('slot', '!=', WHOLE)
    .where('holder', '!=', except)
    .where((eb) => eb.not(hasEnded(db, duration)(eb)))
    .execute();
  return rows.map(({ key }) => key);
}

/** The holder sees this at its next heartbeat. Without `slot`, requests all slots of the key. */
export async function requestLease(db: Db, key: string, slot?: string): Promise<void> {
  await db
    .updateTable('leases')
    .set({ isWanted: 1 })
    .where('key', '=', key)
    .where('slot', '!=', WHOLE)
    .$if(slot !== undefined, (query) => query.where('slot', '=', slot!))
    .where('isWanted', '=', 0)
    .execute();
}

export async function revokeLeases(db: Db, keys: string[]): Promise<void> {
  await db
    .updateTable('leases')
    .set({ isToEnd: 1 })
    .where('key', 'in', keys)
    .where('slot', '!=', WHOLE)
    .where('isToEnd', '=', 0)
    .execute();
}

/** Renews the leases that have not expired, and returns them with the requests of other processes. */
export async function renewLeases(db: Db, holder: string, duration: Duration): Promise<Beat[]> {
  return db
    .updateTable('leases')
    .set({ endsAt: sql<number>`${nowOf(db)} + ${duration.lastsMs}` })
    .where('holder', '=', holder)
    .where((eb) => eb.not(hasEnded(db, duration)(eb)))
    .returning(['key', 'slot', 'leaseId', 'isWanted', 'isToEnd'])
    .execute();
}

export async function deleteLeases(db: Db, leaseIds: string[]): Promise<void> {
  const [first, ...others] = leaseIds;
  if (first === undefined || others.length > 0)
    await db.deleteFrom('leases').where('leaseId', 'in', leaseIds).execute();
  else await deleteOne(db, first);
}

const deleteOne = prepare((db, leaseId: string) => db.deleteFrom('leases').where('leaseId', '=', leaseId));

export async function deleteLeasesOf(db: Db, holder: string): Promise<void> {
  await db.deleteFrom('leases').where('holder', '=', holder).execute();
}

export async function deleteEndedLeases(db: Db, duration: Duration): Promise<void> {
  await db.deleteFrom('leases').where(hasEnded(db, duration)).execute();
}
