import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isAppError } from '../../lib/app-error.ts';
import { migrateToLatest } from '../migrate.ts';
import { type Db, openDatabase } from '../open.ts';
import { transaction } from '../transaction.ts';
import { Checkpoints } from './checkpoints.ts';
import { isRetryable } from './errors.ts';

let folder: string;
let file: string;
let db: Db;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendwell-sqlite-'));
  file = join(folder, 'test.db');
  db = await openDatabase({ file });
  await migrateToLatest(db);
});
after(async () => {
  await db.destroy();
  await rm(folder, { recursive: true, force: true });
});

async function readPragma(name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0]!)[0];
}

test('uses WAL, syncs each commit and enforces foreign keys', async () => {
  assert.equal(await readPragma('journal_mode'), 'wal');
  assert.equal(await readPragma('synchronous'), 2);
  assert.equal(await readPragma('foreign_keys'), 1);
});

test('copies the write-ahead log into the database in another thread', async (t) => {
  const own = join(folder, 'checkpoints.db');
  const writer = new DatabaseSync(own);
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table rows (value)');
  const checkpoints = new Checkpoints(writer, { startsAfterMs: 0 });
  t.after(() => writer.close());
  checkpoints.start();
  const sizeBefore = (await stat(own)).size;
  writer.exec(`insert into rows values (zeroblob(1000000))`);
  while ((await stat(own)).size < sizeBefore + 1_000_000) await sleep(20);
  const { wal_autocheckpoint: beside } = writer.prepare('pragma wal_autocheckpoint').get()!;
  await checkpoints.stop();
  const { wal_autocheckpoint: after } = writer.prepare('pragma wal_autocheckpoint').get()!;
  assert.deepEqual([beside, after], [16_000, 1_000]);
});

test('waits while another process writes, without blocking its own', async () => {
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  let isThrough = false;
  const waiting = Promise.all([
    transaction(db, (trx) => trx.deleteFrom('users').execute()),
    db.deleteFrom('settings').execute(),
  ]).then(() => {
    isThrough = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isThrough, false);
  other.exec('commit');
  other.close();
  await waiting;
});

test('refuses a query outside the open transaction instead of deadlocking', async () => {
  const beside = transaction(db, async (trx) => {
    await trx.selectFrom('users').selectAll().execute();
    await db.selectFrom('users').selectAll().execute();
  });
  await assert.rejects(beside, /run queries on its handle/);
  assert.deepEqual(await db.selectFrom('users').selectAll().execute(), []);
});

test('lets work that outlives a transaction use the database', async () => {
  let later: Promise<unknown> | undefined;
  await transaction(db, async () => {
    later = new Promise((resolve) => setImmediate(resolve)).then(() =>
      db.selectFrom('users').selectAll().execute(),
    );
  });
  assert.deepEqual(await later, []);
});

test('reports a file that another process keeps locked as unavailable', async () => {
  const other = new DatabaseSync(file);
  const impatient = await openDatabase({ file, patienceMs: 0 });
  other.exec('begin immediate');
  const attempt = transaction(impatient, (trx) => trx.deleteFrom('users').execute());
  await assert.rejects(attempt, (error) => isAppError(error, 'unavailable') && isRetryable(error));
  other.exec('rollback');
  await transaction(impatient, (trx) => trx.deleteFrom('users').execute());
  other.close();
  await impatient.destroy();
});

test('acquires the write lock at the start of a transaction', async () => {
  const other = await openDatabase({ file, patienceMs: 0 });
  await transaction(db, async () => {
    await assert.rejects(other.deleteFrom('users').execute(), (error) => isAppError(error, 'unavailable'));
  });
  await other.deleteFrom('users').execute();
  await other.destroy();
});

test('reports a full disk, rolls back, and continues once there is space', async () => {
  const { page_count } = (await sql<{ page_count: number }>`pragma page_count`.execute(db)).rows[0]!;
  await sql`pragma max_page_count = ${sql.lit(page_count)}`.execute(db);
  const large = { id: 'l', key: 'large', value: 'x'.repeat(1_000_000), updatedAt: 0 };
  const attempt = transaction(db, (trx) => trx.insertInto('settings').values(large).execute());
  await assert.rejects(attempt, (error) => isAppError(error, 'storage_full'));
  await sql`pragma max_page_count = 1000000`.execute(db);
  await transaction(db, (trx) => trx.insertInto('settings').values(large).execute());
  await db.deleteFrom('settings').execute();
});

test('keeps prepared statements correct when tables change and when there are very many', async () => {
  await sql`create table cached (a text)`.execute(db);
  assert.deepEqual((await sql`select * from cached`.execute(db)).rows, []);
  await sql`alter table cached add column b text`.execute(db);
  await sql`insert into cached values ('1', '2')`.execute(db);
  assert.deepEqual({ ...(await sql<object>`select * from cached`.execute(db)).rows[0] }, { a: '1', b: '2' });
  for (let index = 0; index < 1_100; index += 1) {
    const { rows } = await sql<{ n: number }>`select ${sql.lit(index)} as n`.execute(db);
    assert.equal(rows[0]!.n, index);
  }
});
