import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startPostgres, type TestPostgres } from '../../../../testing/databases/postgres.ts';
import { isAppError } from '../../lib/app-error.ts';
import { type Db, openDatabase } from '../open.ts';
import { transaction } from '../transaction.ts';
import { isRetryable } from './errors.ts';

let server: TestPostgres;
let db: Db;
before(async () => {
  server = await startPostgres();
  db = await openDatabase({ url: await server.createDatabase(), file: '' });
});
after(async () => {
  await db.destroy();
  await server.stop();
});

function isUnavailable(error: unknown): boolean {
  return isAppError(error, 'unavailable') && error.retryAfterSeconds === 2;
}

test('answers 503 while PostgreSQL restarts, and recovers afterwards', async () => {
  await db.selectFrom('users').selectAll().execute();
  const running = assert.rejects(sql`select pg_sleep(60)`.execute(db), isUnavailable);
  const inside = assert.rejects(
    transaction(db, async (trx) => {
      await trx.deleteFrom('users').execute();
      await sql`select pg_sleep(60)`.execute(trx);
    }),
    isUnavailable,
  );
  await waitForSleepers(2);
  await server.restart(async () => {
    await Promise.all([running, inside]);
    await assert.rejects(db.selectFrom('users').selectAll().execute(), isUnavailable);
    await assert.rejects(
      transaction(db, (trx) => trx.deleteFrom('users').execute()),
      isUnavailable,
    );
  });
  assert.deepEqual(await db.selectFrom('users').selectAll().execute(), []);
});

async function waitForSleepers(count: number): Promise<void> {
  for (let seen = 0; seen < count; ) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where wait_event = 'PgSleep'`.execute(db);
    seen = rows[0]!.n;
  }
}

test('retries a transaction after a deadlock', async () => {
  const settings = ['a', 'b'].map((key) => ({ id: key, key, value: '', updatedAt: 0 }));
  await db.insertInto('settings').values(settings).execute();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  await Promise.all([
    transaction(db, async (trx) => {
      await increment(trx, 'a');
      first.resolve();
      await second.promise;
      await increment(trx, 'b');
    }),
    transaction(db, async (trx) => {
      await increment(trx, 'b');
      second.resolve();
      await first.promise;
      await increment(trx, 'a');
    }),
  ]);
  const rows = await db.selectFrom('settings').select('updatedAt').execute();
  assert.deepEqual(rows, [{ updatedAt: 2 }, { updatedAt: 2 }]);
});

async function increment(trx: Db, key: string): Promise<void> {
  const query = trx.updateTable('settings').set((eb) => ({ updatedAt: eb('updatedAt', '+', 1) }));
  await query.where('key', '=', key).execute();
}

test('does not retry a transaction after any other error', async () => {
  let runs = 0;
  const failing = transaction(db, async (trx) => {
    runs += 1;
    await sql`select 1 / 0`.execute(trx);
  });
  await assert.rejects(failing, (error) => isAppError(error, 'invalid_input') && !isRetryable(error));
  assert.equal(runs, 1);
});

test('reports text that PostgreSQL cannot store as invalid input', async () => {
  const withNul = { id: 'n', key: 'a\u0000b', value: '', updatedAt: 0 };
  await assert.rejects(db.insertInto('settings').values(withNul).execute(), (error) =>
    isAppError(error, 'invalid_input'),
  );
});
