import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import type { Pool } from 'pg';
import { createApp } from '../server/app.ts';
import { type Config, readConfig } from '../server/config.ts';
import type { AppContext } from '../server/context.ts';
import { createContext, openOwnDatabase } from '../server/create-context.ts';
import { hashPassword } from '../server/features/accounts/passwords/passwords.ts';
import { SESSION_MS, sessionCookieName } from '../server/features/accounts/sign-in/sessions/cookies.ts';
import { insertSession } from '../server/features/accounts/sign-in/sessions/session-queries.ts';
import { newUser } from '../server/features/accounts/users/users.ts';
import { migrateToLatest } from '../server/platform/db/migrate.ts';
import { openDatabase } from '../server/platform/db/open.ts';
import type { MailRow } from '../server/platform/db/schema.ts';
import type { Clock } from '../server/platform/lib/clock.ts';
import { hashToken, randomId } from '../server/platform/lib/tokens.ts';
import { overwriteInstallation } from '../server/platform/storage/installation/installation-record.ts';
import { closeStorages, openStorages } from '../server/platform/storage/open.ts';
import { createWorker } from '../server/worker.ts';
import { Client } from './calls/client.ts';
import { CAST, type CastName, PASSWORD } from './cast.ts';
import { openPostgres } from './databases/postgres.ts';
import { ManualClock } from './lib/manual-clock.ts';
import { createTestBucket } from './storage/test-storage.ts';

/** `TEST_DATABASE=postgres` runs every HTTP test on PostgreSQL instead of SQLite. */
const postgres = process.env.TEST_DATABASE === 'postgres' ? await openPostgres() : undefined;
if (postgres) after(() => postgres.stop());

const DATABASE_FILE = 'sendwell.db';

/** Nothing listens there: tests ask no real name server. */
const NO_DNS = '127.0.0.1:9';

/** Creating all tables takes longer than most tests, so it is done once and every server starts with a copy. */
const emptyDatabase = postgres ? undefined : await makeEmptyDatabase();

const passwordHash = await hashPassword(PASSWORD);

export type TestServer = {
  url: string;
  context: AppContext;
  clock: ManualClock;
  /** Runs all due jobs one after another and returns their number. */
  drainJobs(): Promise<number>;
  /** The outbox, oldest first. */
  mails(): Promise<MailRow[]>;
  /** A client with its own session. Checks no password, because hashing one takes longer than most tests. */
  signIn(name: CastName): Promise<Client>;
  anonymous(): Client;
  userId(name: CastName): string;
};

/**
 * Starts a real listening server with its own DATA_DIR and the cast as verified users. `env` is the server's
 * environment. When the test ends, the server is stopped and its folder removed.
 */
export async function startTestServer(t: TestContext, env: Record<string, string> = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sendwell-test-'));
  const databaseUrl = await postgres?.createDatabase();
  const pool = databaseUrl ? postgres?.connect(databaseUrl) : undefined;
  if (emptyDatabase) await copyFile(emptyDatabase, join(dataDir, DATABASE_FILE));
  const clock = new ManualClock();
  // A test with its own bucket may share it with other servers, which know no prefix.
  const bucket = env.S3_BUCKET === undefined ? await createTestBucket() : {};
  const places = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...bucket };
  const config = readConfig({ ...places, LOG_LEVEL: 'silent', OIDC_DNS_SERVERS: NO_DNS, ...env });
  if (config.s3) await markBucket(config, clock, pool);
  const context = await createContext(config, { clock, ...(pool && { pool }) });
  const userIds = await insertCast(context);
  const app = await createApp(context);
  const worker = createWorker(context);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  stopAfter(t, async () => {
    app.server.closeAllConnections();
    await app.close();
    await worker.stop();
    await context.close();
    await rm(dataDir, { recursive: true, force: true });
    if (databaseUrl) await postgres?.recycleDatabase(databaseUrl);
  });
  return {
    url,
    context,
    clock,
    drainJobs: () => worker.drain(),
    mails: () => context.db.selectFrom('mails').selectAll().orderBy('createdAt').execute(),
    anonymous: () => new Client(url),
    userId: (name) => userIds[name],
    async signIn(name) {
      const client = new Client(url);
      client.jar.add({ ...(await insertTestSession(context, userIds[name])), path: '/' });
      return client;
    },
  };
}

/** Drops the reference after the test, because the runner keeps `t.after` callbacks until the process ends. */
function stopAfter(t: TestContext, stop: () => Promise<void>): void {
  let pending: typeof stop | undefined = stop;
  t.after(async () => {
    await pending?.();
    pending = undefined;
  });
}

/**
 * Writes the installation ID into an empty bucket and into the database. Otherwise the first start of a server would
 * do so and then wait two seconds for other processes that start at the same time.
 */
async function markBucket(config: Config, clock: Clock, pool: Pool | undefined): Promise<void> {
  const db = await (pool
    ? openDatabase({ url: config.databaseUrl, file: '', pool })
    : openOwnDatabase(config));
  const storages = await openStorages(config, db);
  const id = randomId();
  for (const { marker } of storages.inUse) await marker.replace(id);
  await overwriteInstallation(db, { id, storages: storages.inUse.map(({ kind }) => kind) }, clock.now());
  await closeStorages(storages);
  await db.destroy();
}

async function insertCast({ db, clock }: AppContext): Promise<Record<CastName, string>> {
  const rows = Object.values(CAST).map(({ tier, isAdmin, ...person }) =>
    newUser({ ...person, passwordHash }, { emailVerified: 1, isAdmin: isAdmin ? 1 : 0, tier }, clock.now()),
  );
  await db.insertInto('users').values(rows).execute();
  const names = Object.keys(CAST) as CastName[];
  return Object.fromEntries(names.map((name, index) => [name, rows[index]!.id])) as Record<CastName, string>;
}

/** Inserts a session as `login` does and returns the session cookie. */
async function insertTestSession(
  { db, clock, config }: AppContext,
  userId: string,
): Promise<{ name: string; value: string }> {
  const token = randomId();
  const now = clock.now();
  await insertSession(db, {
    id: randomId(),
    userId,
    tokenHash: hashToken(token),
    ipAddress: '127.0.0.1',
    userAgent: 'node',
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + SESSION_MS,
  });
  return { name: sessionCookieName(config), value: token };
}

async function makeEmptyDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-test-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, DATABASE_FILE);
  const db = await openDatabase({ file });
  await migrateToLatest(db);
  await db.destroy();
  return file;
}
