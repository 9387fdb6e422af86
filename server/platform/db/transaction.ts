import type { IsolationLevel } from 'kysely';
import { isRetryable } from './engines/errors.ts';
import { NodeSqliteAdapter } from './engines/sqlite-dialect.ts';
import type { Db, Trx } from './open.ts';

const ATTEMPTS = 5;

/**
 * Runs the body in one transaction and returns its result; an error rolls everything back. The body may run again
 * (deadlock, failed serialization, busy file), so it must change nothing but the database. It must not await the
 * network, a file or a timer, because SQLite has one connection and every other query waits. PostgreSQL runs it as
 * read committed: enforce invariants with one conditional update or under `for update`.
 */
export async function transaction<T>(db: Db, body: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(db, body);
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

/** Runs read queries that all see the same state of the database. On SQLite other writers wait until it ends. */
export function snapshot<T>(db: Db, body: (trx: Trx) => Promise<T>): Promise<T> {
  return runOnce(db, body, 'repeatable read');
}

const openTransactions = new WeakMap<Trx, { db: Db; acts: Set<() => void> }>();

/**
 * Runs `act` once after the commit (the same function only once), and never after a rollback. `act` must not throw,
 * and does not run if the process ends in between: use it for log lines and wake-ups, not for facts.
 */
export function afterCommit(trx: Trx, act: () => void): void {
  getOpen(trx).acts.add(act);
}

export function databaseOf(trx: Trx): Db {
  return getOpen(trx).db;
}

function getOpen(trx: Trx) {
  const found = openTransactions.get(trx);
  if (!found) throw new Error('This is not a transaction started by transaction().');
  return found;
}

async function runOnce<T>(
  db: Db,
  body: (trx: Trx) => Promise<T>,
  isolation: IsolationLevel = 'read committed',
): Promise<T> {
  const { adapter } = db.getExecutor();
  const acts = new Set<() => void>();
  const result = await db
    .transaction()
    .setIsolationLevel(isolation)
    .execute((trx) => {
      openTransactions.set(trx, { db, acts });
      return adapter instanceof NodeSqliteAdapter ? adapter.gate.run(() => body(trx)) : body(trx);
    });
  for (const act of acts) act();
  return result;
}
