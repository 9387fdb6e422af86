/**
 * `npm run bench:growth -- [--to 1e6] [--from 1e3] [--json FILE]`: what calls, periodic jobs and the start cost as
 * the database grows tenfold at a time (SQLite). Each cell has the CPU milliseconds of the server's JavaScript
 * thread, then the longest wait for /healthz meanwhile. Both are the least of several runs for calls, because other
 * programs on the machine can only add to them; jobs and the start run once. 10^6 transfers need about 4 GB in the
 * temporary folder; 10^7 ten times as much.
 *
 * After the table it lists the statements of the server that blocked its JavaScript thread for more than 20 ms.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { type Db, openDatabase } from '../server/platform/db/open.ts';
import { fillSearchIndex } from '../server/platform/db/search/fill-search-index.ts';
import { systemClock } from '../server/platform/lib/clock.ts';
import { FIRST_SESSION, seededId, seedLargeDatabase } from '../testing/databases/large-database.ts';
import { SendwellClient } from './sendwell-client.ts';
import { type Server, startSendwell } from './servers/servers.ts';
import type { TracedStatement } from './statement-trace.ts';
import { Connection, expectStatus } from './wire.ts';

type Cost = { cpuMs: number; longestWaitMs: number };
type Waits = { p50: number; p99: number; longest: number };
type SlowStatement = TracedStatement & { runs: number };
type Growth = {
  transfers: number;
  databaseBytes: number;
  fillMs: number;
  readyMs: number;
  costs: Record<string, Cost>;
  /** While all heavy reads and all periodic jobs run. */
  underLoad: { healthz: Waits; view: Waits };
  slowStatements: SlowStatement[];
};

const RUNS = 3;
const AFTER_START_MS = 30_000;
const UNDER_LOAD_MS = 10_000;
const PROBE_PAUSE_MS = 2;
/** During long measurements, so that answering the probes stays a small part of the CPU time. */
const SLOW_PROBE_PAUSE_MS = 10;
const JOB_POLL_MS = 20;
const LONGEST_JOB_MS = 60_000;
const SHOWN_STATEMENT_MS = 20;
const FILES_OF_LARGEST = 1_000;
const FILL_CACHE_KIB = 2_000_000;

const VIEW = `/api/download/${seededId('tt', 0)}`;

/** The first user is an administrator who owns a tenth of all transfers. */
const READS = {
  'public view': VIEW,
  'own list, 50': '/api/transfers?limit=50',
  'own list, without a limit': '/api/transfers',
  'own list by title': '/api/transfers?limit=50&sort=title',
  'own search without a hit': '/api/transfers?limit=50&search=nowhere',
  detail: `/api/transfers/${seededId('t', 0)}`,
  'admin: users': '/api/admin/users?limit=50',
  'admin: users by storage': '/api/admin/users?limit=50&sort=storage',
  'admin: transfers': '/api/admin/transfers?limit=50',
  'admin: transfers by size': '/api/admin/transfers?limit=50&sort=size',
  'admin: audit': '/api/admin/audit',
  'admin: mails': '/api/admin/mails',
  'admin: failed mails': '/api/admin/mails?state=failed',
};

/** Reads that run beside the probes of `measureUnderLoad`. */
const HEAVY_READS = {
  'analytics, a year': '/api/analytics?days=365',
  'analytics export': '/api/analytics.csv',
  'admin: user search without a hit': '/api/admin/users?search=nowhere',
  'admin: transfer search without a hit': '/api/admin/transfers?search=nowhere',
  'admin: transfer search beyond ASCII': `/api/admin/transfers?search=${encodeURIComponent('Ünowhere')}`,
  'admin: audit search without a hit': '/api/admin/audit?search=nowhere',
  'admin: mail search without a hit': '/api/admin/mails?search=nowhere',
  'admin: statistics': '/api/admin/stats',
  'admin: trends': '/api/admin/trends',
  'admin: storage': '/api/admin/storage',
};

const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'string' } },
});
const sizes = readSizes(Number(values.from ?? 1e3), Number(values.to ?? 1e6));
const results: Growth[] = [];
for (const transfers of sizes) {
  const result = await measureAt(transfers);
  results.push(result);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}
printTable(results);
printSlowStatements(results.at(-1)!);

function readSizes(from: number, to: number): number[] {
  if (!(from >= 1e3 && to >= from && to <= 1e8))
    throw new Error('--from and --to are numbers of transfers, at least 1e3.');
  const found = [];
  for (let size = from; size <= to; size *= 10) found.push(size);
  return found;
}

async function measureAt(transfers: number): Promise<Growth> {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-growth-'));
  const file = join(folder, 'sendwell/sendwell.db');
  const trace = join(folder, 'statements.jsonl');
  writeFileSync(trace, '');
  let server: Server | undefined;
  try {
    // The first start migrates and creates the account that uploads.
    await (await startSendwell(folder)).stop();
    const fillMs = await timed(() => fill(file, transfers));
    const preload = `${pathToFileURL(join(import.meta.dirname, 'statement-trace.ts'))}?${encodeURIComponent(trace)}`;
    const readyMs = await timed(async () => {
      server = await startSendwell(folder, { NODE_OPTIONS: `--import=${preload}` });
    });
    console.log(
      `${transfers.toLocaleString('en')} transfers: filled in ${seconds(fillMs)}, ready after ${seconds(readyMs)}`,
    );
    const costs = await measureCosts(server!, file);
    return {
      transfers,
      databaseBytes: statSync(file).size,
      fillMs,
      readyMs,
      costs,
      underLoad: await measureUnderLoad(server!, file),
      slowStatements: readSlowStatements(trace),
    };
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(file: string, transfers: number): Promise<void> {
  const db = await openDatabase({ file });
  try {
    await sql`pragma journal_mode = off`.execute(db);
    await sql`pragma synchronous = off`.execute(db);
    await sql`pragma foreign_keys = off`.execute(db);
    await sql`pragma cache_size = ${sql.lit(-FILL_CACHE_KIB)}`.execute(db);
    const users = Math.floor(transfers / 10);
    await seedLargeDatabase(db, { users, transfers, filesOfLargest: FILES_OF_LARGEST }, systemClock.now());
    await fillSearchIndex(db);
    await sql`pragma journal_mode = wal`.execute(db);
  } finally {
    await db.destroy();
  }
}

async function measureCosts(server: Server, file: string): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost> = {};
  costs[`first ${seconds(AFTER_START_MS)} after the start`] = await costOf(server, () =>
    sleep(AFTER_START_MS),
  );
  Object.assign(costs, await measureUpload(server));
  for (const [name, path] of Object.entries({ ...READS, ...HEAVY_READS }))
    costs[name] = await leastOf(server, () => read(server, path));
  await withDatabase(file, async (db) => {
    for (const name of await listPeriodicJobs(db))
      costs[`job: ${name}`] = await costOf(server, () => runJob(db, name));
  });
  return costs;
}

async function measureUpload(server: Server): Promise<Record<string, Cost>> {
  const client = new SendwellClient(server.port);
  await client.signIn();
  const headers = { cookie: client.cookie, 'content-type': 'application/json' };
  const init = JSON.stringify({ fileName: 'small.bin', fileSize: 1_000, totalChunks: 1 });
  return {
    'upload init': await leastOf(server, () =>
      read(server, '/api/upload/init', { method: 'POST', headers, body: init }),
    ),
    'upload of one small file': await leastOf(server, () =>
      client.sendFile('small.bin', 1_000, Buffer.alloc(1_000), 1),
    ),
  };
}

async function read(
  { port }: Server,
  path: string,
  init: RequestInit = { headers: { cookie: `sendwell_session=${FIRST_SESSION}` } },
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
}

/** CPU time and waiting are measured in separate runs, because answering the probes takes CPU time, too. */
async function leastOf(server: Server, run: () => Promise<unknown>): Promise<Cost> {
  await run();
  const costs: Cost[] = [];
  for (let count = 0; count < RUNS; count += 1) {
    const cpuBefore = readThreadMs(server);
    await run();
    const cpuMs = readThreadMs(server) - cpuBefore;
    const { waits } = await probeDuring(server, '/healthz', PROBE_PAUSE_MS, run);
    costs.push({ cpuMs, longestWaitMs: waits.longest });
  }
  return {
    cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)),
    longestWaitMs: Math.min(...costs.map(({ longestWaitMs }) => longestWaitMs)),
  };
}

/** Of one run, with the cost of the probes. */
async function costOf(server: Server, run: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = readThreadMs(server);
  const { waits } = await probeDuring(server, '/healthz', SLOW_PROBE_PAUSE_MS, run);
  return { cpuMs: readThreadMs(server) - cpuBefore, longestWaitMs: waits.longest };
}

/** One administrator reads everything heavy, again and again, while all periodic jobs are due at once. */
async function measureUnderLoad(server: Server, file: string): Promise<Growth['underLoad']> {
  await withDatabase(file, async (db) => {
    await db.updateTable('jobs').set({ runAt: 0 }).whereRef('uniqueKey', '=', 'name').execute();
  });
  const endsAt = performance.now() + UNDER_LOAD_MS;
  async function load(): Promise<void> {
    for (const path of Object.values(HEAVY_READS)) await read(server, path);
    if (performance.now() < endsAt) await load();
  }
  const probing = probeDuring(server, VIEW, PROBE_PAUSE_MS, load);
  const { waits: healthz } = await probeDuring(server, '/healthz', PROBE_PAUSE_MS, () => probing);
  return { healthz, view: (await probing).waits };
}

async function probeDuring(
  { port }: Server,
  path: string,
  pauseMs: number,
  run: () => Promise<unknown>,
): Promise<{ waits: Waits }> {
  const running = { isOver: false };
  const connection = new Connection(port, { keepBodies: false });
  const probing = (async () => {
    const waits: number[] = [];
    while (!running.isOver) {
      const sentAt = performance.now();
      expectStatus(await connection.send({ path }), 200);
      waits.push(performance.now() - sentAt);
      await sleep(pauseMs);
    }
    return waits.toSorted((a, b) => a - b);
  })();
  await run().finally(() => {
    running.isOver = true;
  });
  const waits = await probing;
  connection.close();
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!;
  return { waits: { p50: at(0.5), p99: at(0.99), longest: waits.at(-1)! } };
}

async function withDatabase(file: string, run: (db: Db) => Promise<void>): Promise<void> {
  const db = await openDatabase({ file });
  try {
    await run(db);
  } finally {
    await db.destroy();
  }
}

async function listPeriodicJobs(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('name')
    .whereRef('uniqueKey', '=', 'name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** The server postpones a periodic job when it has run. */
async function runJob(db: Db, name: string): Promise<void> {
  const row = () => db.selectFrom('jobs').select(['runAt', 'leaseId']).where('uniqueKey', '=', name);
  await db.updateTable('jobs').set({ runAt: 0 }).where('uniqueKey', '=', name).execute();
  const startedAt = performance.now();
  while (performance.now() - startedAt < LONGEST_JOB_MS) {
    await sleep(JOB_POLL_MS);
    const { runAt, leaseId } = await row().executeTakeFirstOrThrow();
    if (runAt > 0 && leaseId === null) return;
  }
  throw new Error(`The job ${name} did not end.`);
}

/** CPU time of the process's first thread, which runs JavaScript and SQLite. */
function readThreadMs({ pids }: Server): number {
  return Number(readFileSync(`/proc/${pids[0]}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** The longest run of each statement. */
function readSlowStatements(trace: string): SlowStatement[] {
  const bySql = new Map<string, SlowStatement>();
  for (const line of readFileSync(trace, 'utf8').split('\n').filter(Boolean)) {
    const statement = JSON.parse(line) as TracedStatement;
    if (statement.blockedMs < SHOWN_STATEMENT_MS) continue;
    const known = bySql.get(statement.sql);
    const longest = known && known.cpuMs > statement.cpuMs ? known : statement;
    bySql.set(statement.sql, { ...longest, runs: (known?.runs ?? 0) + 1 });
  }
  return [...bySql.values()].toSorted((a, b) => b.cpuMs - a.cpuMs);
}

function printTable(grown: Growth[]): void {
  const line = (name: string, cellOf: (growth: Growth) => string | number) =>
    console.log(`| ${[name, ...grown.map(cellOf)].join(' | ')} |`);
  console.log('');
  line('CPU ms / longest wait ms', ({ transfers }) => `${transfers.toLocaleString('en')} transfers`);
  line('---', () => '---:');
  line('database, MB', ({ databaseBytes }) => Math.round(databaseBytes / 1e6));
  line('start to ready', ({ readyMs }) => `${Math.round(readyMs)} ms`);
  for (const name of Object.keys(grown[0]!.costs)) {
    line(name, ({ costs }) => {
      const cost = costs[name];
      return cost ? `${cost.cpuMs.toFixed(1)} / ${cost.longestWaitMs.toFixed(0)}` : '–';
    });
  }
  const cell = ({ p50, p99, longest }: Waits) => [p50, p99, longest].map((ms) => ms.toFixed(1)).join(' / ');
  line('under load: /healthz, p50 / p99 / longest ms', ({ underLoad }) => cell(underLoad.healthz));
  line('under load: public view, p50 / p99 / longest ms', ({ underLoad }) => cell(underLoad.view));
}

function printSlowStatements({ transfers, slowStatements }: Growth): void {
  console.log(`\nStatements above ${SHOWN_STATEMENT_MS} ms at ${transfers.toLocaleString('en')} transfers:`);
  if (slowStatements.length === 0) console.log('none');
  for (const { sql: text, blockedMs, cpuMs, runs } of slowStatements) {
    console.log(
      `${runs} × at most ${cpuMs.toFixed(0)} ms CPU, ${blockedMs.toFixed(0)} ms blocked: ${text.replace(/\s+/g, ' ').slice(0, 400)}`,
    );
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
