/**
 * `npm run bench:growth [transfers …]`: what calls cost as the database grows (SQLite; by default 1,000, 10,000 and
 * 100,000 transfers; 1,000,000 takes several minutes and about 5 GB in the temporary folder). Each cell has the CPU
 * milliseconds of the server's JavaScript thread per call, then the longest wait for /healthz during the call. Both
 * are the least of several runs, because other programs on the machine can only add to them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../server/platform/db/open.ts';
import { fillSearchIndex } from '../server/platform/db/search/fill-search-index.ts';
import { systemClock } from '../server/platform/lib/clock.ts';
import { FIRST_SESSION, seededId, seedLargeDatabase } from '../testing/databases/large-database.ts';
import { SendwellClient } from './sendwell-client.ts';
import { type Server, startSendwell } from './servers.ts';

type Cost = { cpuMs: number; longestWaitMs: number };

const RUNS = 3;
const AFTER_START_MS = 15_000;
const PROBE_PAUSE_MS = 2;
const FILES_OF_LARGEST = 1_000;

/** The first user is an administrator who owns a tenth of all transfers. */
const READS = {
  'public view': `/api/download/${seededId('tt', 0)}`,
  'own list, 50': '/api/transfers?limit=50',
  'own list, without a limit': '/api/transfers',
  'own list by title': '/api/transfers?limit=50&sort=title',
  'own search without a hit': '/api/transfers?limit=50&search=nowhere',
  detail: `/api/transfers/${seededId('t', 0)}`,
  analytics: '/api/analytics?days=365',
  'analytics export': '/api/analytics.csv',
  'admin: users': '/api/admin/users?limit=50',
  'admin: users by storage': '/api/admin/users?limit=50&sort=storage',
  'admin: user search without a hit': '/api/admin/users?search=nowhere',
  'admin: transfers': '/api/admin/transfers?limit=50',
  'admin: transfer search without a hit': '/api/admin/transfers?search=nowhere',
  'admin: transfer search beyond ASCII': `/api/admin/transfers?search=${encodeURIComponent('Ünowhere')}`,
  'admin: audit search without a hit': '/api/admin/audit?search=nowhere',
  'admin: mail search without a hit': '/api/admin/mails?search=nowhere',
  'admin: statistics': '/api/admin/stats',
  'admin: trends': '/api/admin/trends',
};

const sizes = process.argv.slice(2).map(Number);
if (sizes.some((size) => !Number.isInteger(size) || size < 1_000))
  throw new Error('Give numbers of transfers, each at least 1,000.');
if (sizes.length === 0) sizes.push(1_000, 10_000, 100_000);

const table = new Map<string, string[]>();
for (const transfers of sizes) {
  for (const [name, cost] of await measureAt(transfers)) {
    const cells = table.get(name) ?? [];
    cells.push(`${cost.cpuMs.toFixed(1)} / ${cost.longestWaitMs.toFixed(0)}`);
    table.set(name, cells);
  }
}
console.log(
  `\n${['CPU ms / longest wait ms', ...sizes.map((size) => size.toLocaleString('en'))].join(' | ')}`,
);
for (const [name, cells] of table) console.log([name, ...cells].join(' | '));

async function measureAt(transfers: number): Promise<Map<string, Cost>> {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-growth-'));
  let server: Server | undefined;
  try {
    // The first start migrates and creates the account that uploads.
    await (await startSendwell(folder)).stop();
    await fill(join(folder, 'sendwell/sendwell.db'), transfers);
    const startedAt = performance.now();
    server = await startSendwell(folder);
    console.log(
      `${transfers.toLocaleString('en')} transfers: ready after ${(performance.now() - startedAt).toFixed(0)} ms`,
    );
    const costs = new Map<string, Cost>();
    const cpuBefore = readThreadMs(server);
    const longestWaitMs = await waitDuring(server, () => sleep(AFTER_START_MS));
    costs.set('15 s after the start, with probes', {
      longestWaitMs,
      cpuMs: readThreadMs(server) - cpuBefore,
    });
    costs.set('upload of one small file', await leastOf(server, await prepareUpload(server)));
    for (const [name, path] of Object.entries(READS))
      costs.set(name, await leastOf(server, () => read(server!, path)));
    return costs;
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(file: string, transfers: number): Promise<void> {
  const db = await openDatabase({ file });
  try {
    await sql`pragma synchronous = off`.execute(db);
    await sql`pragma foreign_keys = off`.execute(db);
    const users = Math.floor(transfers / 10);
    await seedLargeDatabase(db, { users, transfers, filesOfLargest: FILES_OF_LARGEST }, systemClock.now());
    const startedAt = performance.now();
    const cpuBefore = process.threadCpuUsage();
    await fillSearchIndex(db);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `${transfers.toLocaleString('en')} transfers: indexed for searches in ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} CPU s)`,
    );
  } finally {
    await db.destroy();
  }
}

async function prepareUpload({ port }: Server): Promise<() => Promise<unknown>> {
  const client = new SendwellClient(port);
  await client.signIn();
  return () => client.sendFile('small.bin', 1_000, Buffer.alloc(1_000), 1);
}

async function read({ port }: Server, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { cookie: `sendwell_session=${FIRST_SESSION}` },
  });
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
    costs.push({ cpuMs, longestWaitMs: await waitDuring(server, run) });
  }
  return {
    cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)),
    longestWaitMs: Math.min(...costs.map(({ longestWaitMs }) => longestWaitMs)),
  };
}

async function waitDuring(server: Server, run: () => Promise<unknown>): Promise<number> {
  const running = { isOver: false };
  const probing = probe(server, running);
  await run().finally(() => {
    running.isOver = true;
  });
  return probing;
}

async function probe({ port }: Server, running: { isOver: boolean }): Promise<number> {
  let longest = 0;
  while (!running.isOver) {
    const sentAt = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - sentAt);
    await sleep(PROBE_PAUSE_MS);
  }
  return longest;
}

/** CPU time of the process's first thread, which runs JavaScript and SQLite. */
function readThreadMs({ pids }: Server): number {
  return Number(readFileSync(`/proc/${pids[0]}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
