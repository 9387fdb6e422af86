import type { IsolationLevel } from 'kysely';
import { isRetryable } from './engines/errors.ts';
import { NodeSqliteAdapter } from './engines/sqlite-dialect.ts';
import type { Db, Trx } from './open.ts';

const ATTEMPTS = 5;

/**
 * Runs the body in one transaction; an error rolls it back. The body may be rerun (deadlock, failed
 * serialization, busy file), so it must change nothing but the database. It must not await the network, a
 * file or a timer, because on SQLite every other query waits. PostgreSQL runs it as read committed: enforce
 * invariants with one conditional update or under `for update`.
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

/** All queries see the same state. On SQLite other writers wait until it ends. */
export function snapshot<T>(db: Db, body: (trx: Trx) => Promise<T>): Promise<T> {
  return runOnce(db, body, 'repeatable read');
}

const openTransactions = new WeakMap<Trx, { db: Db; acts: Set<() => void> }>();

/**
 * Runs `act` after the commit (a repeated function only once), never after a rollback. `act` must not throw,
 * and is skipped if the process dies in between: use it for log lines and wake-ups.
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
