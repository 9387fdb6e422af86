import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { startTestServer } from '../../../testing/test-context.ts';
import { logSlowStatements } from '../../platform/db/engines/slow-statements.ts';
import { type Db, isSqlite } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';

const NAME = 'features/metrics/slow-statements.test.ts countSlowly';

test('a slow statement is counted by the name of the function that ran it', async (t) => {
  const { context, url } = await startTestServer(t);
  for (let rows = 100_000; !(await readMetrics(url)).includes(NAME); rows *= 2)
    await countSlowly(context.db, rows);
  assert.match(await readMetrics(url), new RegExp(`slow_statement_seconds_count{statement="${NAME}"} 1\n`));
});

test('slow statements are logged once a minute by name, without their values', () => {
  const lines: Record<string, unknown>[] = [];
  const seconds: number[] = [];
  const listen = logSlowStatements(
    { warn: (fields) => lines.push(fields as Record<string, unknown>) },
    { countSlowStatement: (_name, each) => seconds.push(each) },
  );
  for (const milliseconds of [60, 70, 80]) listen({ name: 'a', milliseconds, sql: 'select ?' });
  listen({ name: 'b', milliseconds: 125, sql: 'select ?' });
  assert.deepEqual(lines, [
    { statement: 'a', ms: 60, sql: 'select ?' },
    { statement: 'b', ms: 125, sql: 'select ?' },
  ]);
  assert.deepEqual(seconds, [0.06, 0.07, 0.08, 0.125]);
});

test('a long chain of statements yields to the event loop, also in a transaction', async (t) => {
  const { context } = await startTestServer(t);
  if (!isSqlite(context.db)) return t.skip('Only SQLite works in this thread');
  const { db } = context;
  for (const run of [runUntil, (isOver: () => boolean) => transaction(db, (trx) => runUntil(isOver, trx))]) {
    let isDone = false;
    let turns = 0;
    const running = run(() => turns > TURNS, db).then(() => {
      isDone = true;
    });
    for (; !isDone; turns += 1) await setImmediate();
    await running;
    assert.ok(turns > TURNS, `${turns} turns`);
  }
});

const TURNS = 3;

/** Far more than fit into so many turns of the event loop. */
const STATEMENTS_MAX = 20_000;

async function runUntil(isOver: () => boolean, db: Db): Promise<void> {
  for (let count = 0; count < STATEMENTS_MAX && !isOver(); count += 1) await countSlowly(db, 1_000);
}

async function countSlowly(db: Db, rows: number): Promise<void> {
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
            select count(*) from n`.execute(db);
}

async function readMetrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
