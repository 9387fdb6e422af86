import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kysely, Migrator, sql } from 'kysely';
import { describeOnBothEngines, type TestEngine } from '../../../testing/databases/both-engines.ts';
import { until } from '../../../testing/lib/until.ts';
import { createLog } from '../lib/logging/log.ts';
import { type Migrations, runMigrations } from './migration-runner.ts';
import { type Db, openDatabase } from './open.ts';

const QUICK = { lockTimeoutMs: 50, retryDelayMs: 10 };

const ADD_COLUMN: Migrations = {
  '9001-note': {
    up: async (db) => {
      await db.schema.alterTable('settings').addColumn('note', 'text').execute();
    },
  },
};

const ADD_INDEXES: Migrations = {
  '9002-note-indexes': {
    indexes: (schema) => [
      schema.createIndex('settings_updatedAt').on('settings').columns(['updatedAt', 'key']),
      schema.createIndex('settings_value').on('settings').column('value').where(sql.ref('value'), '!=', ''),
    ],
  },
};

function run(db: Db, migrations: Migrations) {
  const lines: { msg: string; index?: string; migration?: string }[] = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) });
  // The real migrations count as executed, so this isn't a first start.
  const all = { '0001-first': { up: async () => {} }, ...migrations };
  return { lines, done: runMigrations(db as never, all, { log, ...QUICK }) };
}

async function listSamples(db: Db): Promise<string[]> {
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .where('name', '>=', '9')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

function insertSetting(db: Kysely<never>, key: string): Promise<unknown> {
  const row = { id: key, key, value: key, updatedAt: 1 };
  return (db as unknown as Db).insertInto('settings').values(row).execute();
}

describeOnBothEngines('the migration runner', (engine) => {
  test('commits each migration separately: a failing one keeps the earlier ones', async () => {
    const db = await engine.open();
    const fails: Migrations = {
      '9003-fails': {
        up: async (db) => {
          await db.schema.createTable('halfway').addColumn('id', 'text').execute();
          throw new Error('this one fails');
        },
      },
    };
    await assert.rejects(run(db, { ...ADD_COLUMN, ...ADD_INDEXES, ...fails }).done, /this one fails/);
    assert.deepEqual(await listSamples(db), ['9001-note', '9002-note-indexes']);
    const tables = await db.introspection.getTables();
    assert.ok(!tables.some(({ name }) => name === 'halfway'));
  });

  test('logs the name of each index and the duration of each migration', async () => {
    const db = await engine.open();
    const { lines, done } = run(db, ADD_INDEXES);
    await done;
    assert.deepEqual(
      lines.map(({ msg, index, migration }) => [msg, index ?? migration]),
      [
        ['Building an index', 'settings_updatedAt'],
        ['Index built', 'settings_updatedAt'],
        ['Building an index', 'settings_value'],
        ['Index built', 'settings_value'],
        ['A migration is complete', '9002-note-indexes'],
        ['The database is up to date', undefined],
      ],
    );
  });

  test('resumes an index migration that was interrupted between two indexes', async () => {
    const db = await engine.open();
    await db.schema.createIndex('settings_updatedAt').on('settings').columns(['updatedAt', 'key']).execute();
    await run(db, ADD_INDEXES).done;
    assert.deepEqual(await listSamples(db), ['9002-note-indexes']);
  });

  test('runs each migration once when several processes start concurrently', async () => {
    const place = await engine.place();
    const dbs = await Promise.all(Array.from({ length: 4 }, () => openDatabase(place)));
    let runs = 0;
    const counted: Migrations = {
      '9000-counted': {
        up: async () => {
          runs += 1;
        },
      },
    };
    await Promise.all(dbs.map((db) => run(db, { ...counted, ...ADD_COLUMN, ...ADD_INDEXES }).done));
    assert.equal(runs, 1);
    await Promise.all(dbs.map((db) => db.destroy()));
  });

  test('records migrations so that earlier versions accept them, even after the clock was set back', async () => {
    const db = await engine.open();
    const table = db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
    const timestamp = '2199-01-01T00:00:00.000Z';
    await table.updateTable('kysely_migration').set({ timestamp }).where('name', '=', '0011-tus').execute();
    await table.deleteFrom('kysely_migration').where('name', '>', '0011-tus').execute();
    await run(db, { ...ADD_COLUMN, ...ADD_INDEXES }).done;
    const names = (await table.selectFrom('kysely_migration').select('name').execute()).map(
      ({ name }) => name,
    );
    const all = Object.fromEntries(
      names.map((name) => [name, { up: () => Promise.reject(new Error(name)) }]),
    );
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: async () => all },
    }).migrateToLatest();
    assert.equal(error, undefined);
    assert.deepEqual(results, []);
  });

  if (engine.name === 'PostgreSQL') declarePostgresTests(engine);
});

function declarePostgresTests(engine: TestEngine): void {
  test('releases its lock request while a long reader runs, so that no queries queue behind it', async () => {
    const [db, others] = await openTwice(engine);
    const reader = await others.startTransaction().execute();
    await reader.selectFrom('settings').selectAll().execute();
    const { lines, done } = run(db, ADD_COLUMN);
    const retries = () => lines.filter(({ msg }) => /retrying/.test(msg)).length;
    await until(async () => {
      await insertSetting(others as never, `beside-${performance.now()}`);
      return retries() >= 3;
    });
    await reader.commit().execute();
    await done;
    assert.deepEqual(await listSamples(db), ['9001-note']);
  });

  test('builds indexes while others write, and waits for earlier transactions', async () => {
    const [db, others] = await openTwice(engine);
    const writer = await others.startTransaction().execute();
    await insertSetting(writer as never, 'uncommitted');
    const { done } = run(db, ADD_INDEXES);
    await until(async () => (await readIndexes(others)).length === 1);
    for (let count = 0; count < 20; count += 1) await insertSetting(others as never, `during-${count}`);
    assert.deepEqual(await readIndexes(others), [{ name: 'settings_updatedAt', isValid: false }]);
    await writer.commit().execute();
    await done;
    assert.deepEqual(await readIndexes(others), [
      { name: 'settings_updatedAt', isValid: true },
      { name: 'settings_value', isValid: true },
    ]);
  });

  test('rebuilds an invalid index that a killed build left behind', async () => {
    const db = await engine.open();
    for (const key of ['a', 'b']) await insertSetting(db as never, key);
    // A failed concurrent build leaves the same state as a killed one.
    const failed = sql`create unique index concurrently "settings_updatedAt" on settings ("updatedAt")`;
    await assert.rejects(failed.execute(db));
    assert.deepEqual(await readIndexes(db), [{ name: 'settings_updatedAt', isValid: false }]);
    await run(db, ADD_INDEXES).done;
    assert.deepEqual(
      (await readIndexes(db)).map(({ isValid }) => isValid),
      [true, true],
    );
  });

  test('waits while a process of an earlier version migrates, and lets one start during an index build', async () => {
    const [db, others] = await openTwice(engine);
    const names = (await listAll(db)).map((name) => [name, { up: async () => {} }]);
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const slow = {
      up: async () => {
        begun.resolve();
        await finish.promise;
      },
    };
    const migrateAsBefore = (more: object) =>
      new Migrator({
        db: others,
        provider: { getMigrations: async () => ({ ...Object.fromEntries(names), ...more }) },
      }).migrateToLatest();
    const earlier = migrateAsBefore({ '9000-earlier': slow });
    await begun.promise;
    const { lines, done } = run(db, ADD_COLUMN);
    await until(async () => lines.some(({ msg }) => /retrying/.test(msg)));
    finish.resolve();
    assert.equal((await earlier).error, undefined);
    await done;
    assert.deepEqual(await listSamples(db), ['9000-earlier', '9001-note']);

    const writer = await others.startTransaction().execute();
    await insertSetting(writer as never, 'uncommitted');
    const building = run(db, ADD_INDEXES).done;
    await until(async () => (await readIndexes(others)).length === 1);
    const started = await migrateAsBefore({ '9000-earlier': slow, '9001-note': slow });
    assert.equal(started.error, undefined);
    await writer.commit().execute();
    await building;
  });

  test('a killed migrator loses its lock as soon as PostgreSQL notices', async () => {
    const [db, others] = await openTwice(engine);
    const writer = await others.startTransaction().execute();
    await insertSetting(writer as never, 'uncommitted');
    const first = run(db, ADD_INDEXES).done.catch((error: unknown) => error);
    await until(async () => (await readIndexes(others)).length === 1);
    const { lines, done } = run(others, ADD_INDEXES);
    await until(async () => lines.some(({ msg }) => /Waiting for another process/.test(msg)));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index concurrently%'`.execute(
      others,
    );
    assert.ok((await first) instanceof Error);
    await writer.commit().execute();
    await done;
    assert.deepEqual(
      (await readIndexes(others)).map(({ isValid }) => isValid),
      [true, true],
    );
  });
}

async function openTwice(engine: TestEngine): Promise<[Db, Db]> {
  const place = await engine.place();
  return [await engine.openAt(place), await engine.openAt(place)];
}

async function listAll(db: Db): Promise<string[]> {
  const table = db.withTables<{ kysely_migration: { name: string } }>();
  const rows = await table.selectFrom('kysely_migration').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function readIndexes(db: Db): Promise<{ name: string; isValid: boolean }[]> {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    select relname as name, indisvalid as "isValid" from pg_index join pg_class on pg_class.oid = indexrelid
    where relname in ('settings_updatedAt', 'settings_value') order by relname`.execute(db);
  return rows;
}
