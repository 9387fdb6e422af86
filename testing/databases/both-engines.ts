import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { migrateToLatest } from '../../server/platform/db/migrate.ts';
import { type Db, openDatabase } from '../../server/platform/db/open.ts';
import { openPostgres, type TestDatabases } from './postgres.ts';

export type TestEngine = {
  name: 'SQLite' | 'PostgreSQL';
  /** The location of a new database with all tables, or none if `empty`, as `openDatabase` accepts it. */
  place(options?: { empty?: boolean }): Promise<{ url?: string; file: string }>;
  /** Opens a new database with all tables. It is closed after the last test. */
  open(): Promise<Db>;
  /** Opens another connection to a database, like another process. It is closed after the last test. */
  openAt(place: { url?: string; file: string }): Promise<Db>;
};

/** Declares the same tests once for each engine. */
export function describeOnBothEngines(subject: string, declareTests: (engine: TestEngine) => void): void {
  describe(`${subject} on SQLite`, () => {
    let folder: string;
    let count = 0;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sendwell-sqlite-'));
    });
    declareTests(
      withOpen('SQLite', async ({ empty = false } = {}) => {
        count += 1;
        const place = { file: join(folder, `${count}.db`) };
        if (!empty) await migrateAndClose(place);
        return place;
      }),
    );
    after(() => rm(folder, { recursive: true, force: true }));
  });
  describe(`${subject} on PostgreSQL`, () => {
    let server: TestDatabases;
    before(async () => {
      server = await openPostgres();
    });
    declareTests(
      withOpen('PostgreSQL', async ({ empty = false } = {}) => ({
        url: await (empty ? server.createEmptyDatabase() : server.createDatabase()),
        file: '',
      })),
    );
    after(() => server.stop());
  });
}

function withOpen(name: TestEngine['name'], place: TestEngine['place']): TestEngine {
  const opened: Db[] = [];
  after(() => Promise.all(opened.map((db) => db.destroy())));
  const openAt: TestEngine['openAt'] = async (at) => {
    const db = await openDatabase(at);
    opened.push(db);
    return db;
  };
  return { name, place, openAt, open: async () => openAt(await place()) };
}

async function migrateAndClose(place: { file: string }): Promise<void> {
  const db = await openDatabase(place);
  await migrateToLatest(db);
  await db.destroy();
}
