import assert from 'node:assert/strict';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { TRANSFER_STATES } from '../../contracts/transfers/transfers.ts';
import { fileDownloadPath, zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import { Client } from '../../testing/calls/client.ts';
import {
  FIRST_SESSION,
  type LargeSize,
  seededId,
  seedLargeDatabase,
} from '../../testing/databases/large-database.ts';
import {
  findFullScans,
  measureStatements,
  type StatementCost,
} from '../../testing/databases/statement-cost.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import type { Db } from '../platform/db/open.ts';
import { fillSearchIndex } from '../platform/db/search/fill-search-index.ts';

/** Excludes tables that stay small in years of use or are bounded per user. */
const LARGE_TABLE_SHARE = 3;

/** Three times the duration that `readSlices` aims at. */
const SLICE_LIMIT_MS = 30;

/** Statements that may read a whole table, by a part of their SQL and with the reason. */
const MAY_SCAN: [part: string, reason: string][] = [
  ['from "users" group by "tier"', 'counts users in an index: accounts number thousands'],
  ['from "subscriptions"', 'one row per paying user'],
  ['from "jobs"', 'finished jobs have no rows'],
  ['update "jobs" set "runAt" = ? where "uniqueKey" = "name"', 'only this test runs it'],
  ['"fileCount" > 2000', 'the index has only transfers with thousands of files'],
  ['substr("users"."usernameKey"', 'accounts number thousands'],
];

type World = { server: TestServer; admin: Client };

/**
 * SQLite runs in the server's only JavaScript thread, so a running statement blocks all requests. This test makes
 * every kind of call and runs every repeating job on a large database. It fails for statements that read a whole
 * large table and, if `isTimed`, for those whose processor time grows with the number of rows.
 */
export function declareGuard(name: string, { isTimed, ...size }: LargeSize & { isTimed: boolean }): void {
  const skip = process.env.TEST_DATABASE === 'postgres' && 'PostgreSQL does not run in this thread';
  test(name, { skip }, async (t) => {
    const { server, admin } = await startLargeServer(t, size);
    const statements = measureStatements(t);
    const tableMs = await measureReading(server.context.db);
    statements.clear();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    for (const act of [signIn, transferFiles, readLists, runJobs, readMetrics]) {
      await act({ server, admin });
      t.diagnostic(`${act.name}: longest event-loop delay ${(delay.max / 1e6).toFixed(0)} ms`);
      delay.reset();
    }
    delay.disable();
    const costs = statements.costs().toSorted((a, b) => b.milliseconds - a.milliseconds);
    const transactions = statements.transactions().toSorted((a, b) => b.milliseconds - a.milliseconds);
    t.diagnostic(`${costs.length} statements; reading all transfers costs ${tableMs.toFixed(1)} ms`);
    for (const cost of [...costs.slice(0, 5), ...transactions.slice(0, 5)]) t.diagnostic(describe(cost));
    assert.deepEqual(
      await listScans(server, costs, size.users / LARGE_TABLE_SHARE),
      [],
      'These statements read a whole table.',
    );
    if (!isTimed) return;
    const slow = [
      ...costs.filter((cost) => cost.milliseconds > (isSlice(cost) ? SLICE_LIMIT_MS : tableMs / 2)),
      // A transaction blocks all other writers.
      ...transactions.filter(({ milliseconds }) => milliseconds > 0.75 * tableMs),
    ];
    assert.deepEqual(slow.map(describe), [], 'These statements and transactions cost too much.');
  });
}

/** True for statements of `readSlices`, which reads as many rows as take about ten milliseconds. */
function isSlice({ sql: text }: StatementCost): boolean {
  return text.includes('as "isWanted"') && /\blimit \?/i.test(text);
}

async function startLargeServer(t: TestContext, size: LargeSize): Promise<World> {
  const server = await startTestServer(t);
  const { db } = server.context;
  // The seeded references are consistent, and checking each would take most of the time.
  await sql`pragma foreign_keys = off`.execute(db);
  await seedLargeDatabase(db, size, server.clock.now());
  await sql`pragma foreign_keys = on`.execute(db);
  await damageLargestTransfer(server);
  const admin = new Client(server.url);
  admin.jar.add({ name: 'sendwell_session', value: FIRST_SESSION, path: '/' });
  return { server, admin };
}

/** As if a disk had lost the files of one folder. The jobs then tell the owner. */
async function damageLargestTransfer({ context: { db }, clock }: TestServer): Promise<void> {
  await db
    .updateTable('files')
    .set({ damagedAt: clock.now() })
    .where('transferId', '=', seededId('t', 1))
    .execute();
}

/**
 * Milliseconds of processor time to read all ready transfers by an index, the minimum of several runs. A statement
 * with a wrong query plan costs about as much.
 */
async function measureReading(db: Db): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 5; tries += 1) {
    const before = process.threadCpuUsage();
    await sql`select sum(length("message")) from "transfers" indexed by "transfers_status_expiresAt"
              where "status" = 'ready'`.execute(db);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

async function signIn({ server }: World): Promise<void> {
  for (const name of ['frida', 'paula', 'prem', 'ada'] as const) await server.signIn(name);
}

async function transferFiles({ server }: World): Promise<void> {
  const paula = await server.signIn('paula');
  for (let count = 0; count < 3; count += 1) {
    const files = [
      { fileName: 'a.bin', bytes: makeBytes(100_000, `a${count}`) },
      { fileName: 'b.txt', bytes: makeBytes(1_000, `b${count}`) },
    ];
    const { id, token, fileIds } = await sendTransfer(paula, files, { recipientEmails: ['rex@example.org'] });
    for (const path of [
      `/api/download/${token}`,
      fileDownloadPath(token, fileIds[0]!),
      zipDownloadPath(token),
    ])
      await read(server.anonymous(), path);
    await read(paula, `/api/transfers/${id}`);
    // Runs checksums, previews and mails.
    await server.drainJobs();
    if (count === 0) await read(paula, `/api/transfers/${id}`, { method: 'DELETE' });
  }
  await server.drainJobs();
}

const SORTS = ['newest', 'oldest', 'expiry', 'size', 'downloads', 'title'];
const USER_SORTS = ['newest', 'oldest', 'username', 'email', 'storage'];
const SEARCHES = ['no', 'nowhere', 'number', 'Ünowhere', '999'];

async function readLists({ server, admin }: World): Promise<void> {
  await fillSearchIndex(server.context.db);
  const transfer = seededId('t', 0);
  const plain = [
    'user',
    'user/sessions',
    'user/monthly-usage',
    'uploads',
    'upload-invitations',
    'api-keys',
    'webhooks',
    'subscription',
    'invoices',
    'ads/active',
    'analytics',
    'analytics?days=365',
    'analytics.csv',
    'transfers',
    `upload-invitations/${seededId('i', 0)}/arrivals`,
    `webhooks/${seededId('w', 0)}/deliveries`,
    `webhooks/${seededId('w', 0)}/deliveries?state=failed`,
    `transfers/${transfer}`,
    `transfers/${transfer}/analytics`,
    `download/${seededId('tt', 0)}`,
    'admin/stats',
    'admin/trends',
    'admin/storage',
    'admin/jobs',
    'admin/coupons',
    'admin/ads',
    'admin/reports?state=open',
    'admin/reports?state=settled',
    'admin/audit',
    'admin/account-invitations',
    'admin/registration',
    'admin/audit?action=nothing',
    'admin/held-files',
    'admin/held-files?state=unscanned',
    'admin/blocked-contents',
    `admin/reviewed-files?transferId=${transfer}`,
    'admin/mails',
    'admin/mails?state=failed',
    'admin/users?role=admin',
    'admin/users?tier=premium&sort=username',
  ];
  const searches = SEARCHES.flatMap((word) => [
    `transfers?limit=50&search=${word}`,
    `transfers?limit=50&search=${word}&sort=title`,
    `admin/transfers?search=${word}`,
    `admin/users?search=${word}`,
    `admin/users?search=${word}&sort=storage`,
    `admin/audit?search=${word}`,
    `admin/mails?search=${word}`,
  ]);
  const sorted = [
    ...SORTS.flatMap((sort) =>
      ['', ...TRANSFER_STATES.map((state) => `&state=${state}`)].map(
        (state) => `transfers?limit=50&sort=${sort}${state}`,
      ),
    ),
    ...SORTS.slice(0, 4).flatMap((sort) =>
      [
        '',
        '&state=active',
        '&state=expired',
        '&state=reported',
        '&state=taken-down',
        '&owner=person99',
        '&minBytes=900000000',
      ].map((filter) => `admin/transfers?sort=${sort}${filter}`),
    ),
    ...USER_SORTS.map((sort) => `admin/users?sort=${sort}`),
  ];
  for (const path of [...plain, ...searches, ...sorted]) await readPages(admin, `/api/${path}`);
}

async function readPages(client: Client, path: string): Promise<void> {
  const { link } = await read(client, path);
  const [, next] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? [];
  if (next) await read(client, next);
}

/** Runs every periodic job twice, because the first run may do all the work. */
async function runJobs({ server }: World): Promise<void> {
  const { db } = server.context;
  for (let count = 0; count < 2; count += 1) {
    server.clock.advance(30 * MINUTE_MS);
    await db.updateTable('jobs').set({ runAt: 0 }).whereRef('uniqueKey', '=', 'name').execute();
    await server.drainJobs();
  }
}

async function readMetrics({ server }: World): Promise<void> {
  for (const path of ['/metrics', '/readyz', '/healthz']) await read(server.anonymous(), path);
}

async function read(client: Client, path: string, init?: RequestInit): Promise<{ link: string | null }> {
  const response = await client.fetch(path, init);
  const body = await response.arrayBuffer();
  assert.ok(response.ok, `${path}: ${response.status} ${Buffer.from(body).toString().slice(0, 200)}`);
  return { link: response.headers.get('link') };
}

/** Full scans of large tables in the query plans of the statements that ran. */
async function listScans(
  { context }: TestServer,
  costs: StatementCost[],
  largeTableRows: number,
): Promise<string[]> {
  const database = new DatabaseSync(join(context.config.dataDir, 'sendwell.db'), { readOnly: true });
  database.function('fold_case', { deterministic: true }, (text) => text);
  try {
    const tables = listLargeTables(database, largeTableRows);
    return costs
      .filter(
        ({ sql: text }) => /^(select|with|update|delete|insert)/i.test(text) && !/sqlite_|pragma/i.test(text),
      )
      .filter(({ sql: text }) => !MAY_SCAN.some(([part]) => text.includes(part)))
      .flatMap((cost) => {
        const scanned = findFullScans(database, cost.sql).filter((table) => tables.has(table));
        return scanned.length > 0 ? [`${scanned.join(', ')}: ${describe(cost)}`] : [];
      });
  } finally {
    database.close();
  }
}

function listLargeTables(database: DatabaseSync, minRows: number): Set<string> {
  const names = database.prepare(`select name from sqlite_master where type = 'table'`).all() as {
    name: string;
  }[];
  return new Set(
    names
      .map(({ name }) => name)
      .filter((name) => {
        const row = database.prepare(`select count(*) as count from "${name}"`).get() as { count: number };
        return row.count >= minRows;
      }),
  );
}

function describe({ sql: text, milliseconds, runs, caller }: StatementCost): string {
  return `${milliseconds.toFixed(1)} ms (${runs} runs) ${caller}: ${text.slice(0, 300)}`;
}
