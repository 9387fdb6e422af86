import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { migrateToLatest, NEEDS_KEY } from './migrate.ts';
import { type Db, openDatabase } from './open.ts';

type Place = { url?: string; file: string };

type Column = { name: string; isNullable: boolean; hasDefaultValue: boolean };

/** From the source, because types don't exist at run time. */
function readSchema(): Map<string, Column[]> {
  const files = ['schema.ts', ...globSync('schema/*.ts', { cwd: import.meta.dirname })];
  const source = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const bodies = new Map<string, string>();
  for (const [, name, body] of source.matchAll(/export interface (\w+) \{\n(.*?)\n\}/gs))
    bodies.set(name!, body!);
  const tables = [...bodies.get('Database')!.matchAll(/^ {2}(\w+): (\w+);$/gm)];
  return new Map(tables.map(([, table, type]) => [table!, readColumns(bodies.get(type!)!)]));
}

function readColumns(body: string): Column[] {
  return [...body.matchAll(/^ {2}(\w+): (.*);$/gm)].map(([, name, type]) => ({
    name: name!,
    isNullable: type!.includes('| null'),
    hasDefaultValue: type!.startsWith('Generated<'),
  }));
}

async function readDatabase(db: Db): Promise<Map<string, Column[]>> {
  const tables = await db.introspection.getTables();
  return new Map(
    tables
      .filter(({ name }) => !name.startsWith('search'))
      .map(({ name, columns }) => [
        name,
        columns.map(({ name, isNullable, hasDefaultValue }) => ({ name, isNullable, hasDefaultValue })),
      ]),
  );
}

function sorted(tables: Map<string, Column[]>): [string, Column[]][] {
  return [...tables]
    .map(([table, columns]): [string, Column[]] => [table, columns.toSorted(byName)])
    .toSorted(([a], [b]) => a.localeCompare(b));
}

function byName(a: Column, b: Column): number {
  return a.name.localeCompare(b.name);
}

/** The process kills itself before its n-th query. Returns its exit code or signal. */
async function migrateInProcess(place: Place, killBeforeQuery: number): Promise<number | string> {
  const script = `
    import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open.ts'))};
    import { migrateToLatest } from ${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))};
    let queries = 0;
    const db = await openDatabase(${JSON.stringify(place)});
    const killer = {
      transformQuery({ node }) {
        queries += 1;
        if (queries === ${killBeforeQuery}) process.kill(process.pid, 'SIGKILL');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await migrateToLatest(db.withPlugin(killer));
    await db.destroy();
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

describeOnBothEngines('migrations', (engine) => {
  test('create exactly the tables and columns of the schema', async () => {
    const db = await engine.open();
    assert.deepEqual(sorted(await readDatabase(db)), sorted(readSchema()));
  });

  test('do nothing the second time', async () => {
    const db = await engine.open();
    await db.insertInto('settings').values({ id: 's', key: 'k', value: '{}', updatedAt: 1 }).execute();
    await migrateToLatest(db);
    assert.equal((await db.selectFrom('settings').selectAll().execute()).length, 1);
  });

  test('continue after a kill at any point of the first start', async () => {
    const place = await engine.place({ empty: true });
    let ended: number | string = '';
    // Each run continues after the last committed migration.
    for (let query = 1; ended !== 0; query = 2 * query + 7) {
      ended = await migrateInProcess(place, query);
      assert.ok(ended === 0 || ended === 'SIGKILL', String(ended));
    }
    const db = await openDatabase(place);
    assert.deepEqual(sorted(await readDatabase(db)), sorted(readSchema()));
    await db.destroy();
  });

  test('take turns when several processes start concurrently', async () => {
    const place = await engine.place({ empty: true });
    const never = Number.POSITIVE_INFINITY;
    const eight = Array.from({ length: 8 }, () => migrateInProcess(place, never));
    assert.deepEqual(await Promise.all(eight), [0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test('let a process start on tables of a newer version, unless that declared them incompatible', async () => {
    const db = await engine.open();
    await db
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .insertInto('kysely_migration')
      .values({ name: '9999-of-tomorrow', timestamp: '2030-01-01T00:00:00.000Z' })
      .execute();
    await migrateToLatest(db);
    const needs = { id: 'needs', key: NEEDS_KEY, value: '0001-first', updatedAt: 1 };
    await db.insertInto('settings').values(needs).execute();
    await migrateToLatest(db);
    await db.updateTable('settings').set({ value: '9999-of-tomorrow' }).execute();
    await assert.rejects(migrateToLatest(db), /newer version .*9999-of-tomorrow.* can no longer use it/);
  });

  test('refuse tables with an unknown migration', async () => {
    const db = await engine.open();
    await db
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .insertInto('kysely_migration')
      .values({ name: '0002-of-somebody', timestamp: '2030-01-01T00:00:00.000Z' })
      .execute();
    await assert.rejects(migrateToLatest(db), /no version of Sendwell has: 0002-of-somebody/);
  });
});

/** A plain `create index` blocks all writers of its table during the build. */
test('migrations since 0012 create indexes on existing tables in files that export `indexes`', async () => {
  const folder = join(import.meta.dirname, 'migrations');
  for (const file of (await readdir(folder)).filter((name) => name >= '0012' && /^\d/.test(name))) {
    const source = await readFile(join(folder, file), 'utf8');
    const builds = source.includes('.createIndex(') || source.includes('create index');
    assert.ok(!builds || /export (const|function) indexes\b/.test(source), file);
  }
});
