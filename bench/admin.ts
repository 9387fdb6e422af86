/** An installation with many people and transfers, written at once, and its administrator. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storePastDays } from '../server/features/admin/dashboard/trends.ts';
import { openDatabase } from '../server/platform/db/open.ts';
import { systemClock } from '../server/platform/lib/clock.ts';
import { SendwellClient } from './sendwell-client.ts';
import { type Server, startSendwell } from './servers.ts';
import { expectStatus, overConnections } from './wire.ts';

type Size = { users: number; transfers: number };

type Crowd = { server: Server; cookie: string };

/** What an administrator asks: a name for the report, the path, and how often in a round. */
const QUESTIONS = [
  ['the list of users', '/api/admin/users?limit=50', 100],
  ['users of a plan by name', '/api/admin/users?limit=50&tier=premium&sort=username', 100],
  ['a word that many users have', '/api/admin/users?limit=50&search=person%209', 100],
  ['a word that no user has', '/api/admin/users?limit=50&search=nowhere', 10],
  ['users by storage', '/api/admin/users?limit=50&sort=storage', 20],
  ['the list of transfers', '/api/admin/transfers?limit=50', 100],
  ['the largest transfers', '/api/admin/transfers?limit=50&sort=size', 100],
  ['a word that many transfers have', '/api/admin/transfers?limit=50&search=number%209', 100],
  ['the seven numbers', '/api/admin/stats', 50],
  ['the trends', '/api/admin/trends', 100],
] as const;

/** Each question in two installations, one with a thousand times as many transfers, by what it is called. */
export function adminScenarios(folder: string) {
  return Object.fromEntries(
    QUESTIONS.map(([question, path, requests]) => [
      `admin: ${question}, of 100,000 users and 1,000,000 transfers beside 1,000 of each`,
      () => askBoth(folder, path, requests),
    ]),
  );
}

async function askBoth(folder: string, path: string, requests: number) {
  const large = await startWithCrowd(join(folder, 'crowd'), { users: 100_000, transfers: 1_000_000 });
  const small = await startWithCrowd(join(folder, 'few'), { users: 1_000, transfers: 1_000 });
  const contenders = [large, small].map(({ server, cookie }) => ({
    server,
    run: () =>
      overConnections(server.port, Array<string>(requests).fill(path), 1, async (connection, each) => {
        expectStatus(await connection.send({ path: each, headers: { cookie } }), 200);
      }),
  }));
  const end = async () => {
    await Promise.all([large, small].map(({ server }) => server.stop()));
  };
  return { unit: 'requests/s', amount: requests, contenders, end };
}

/** Makes the crowd once for each folder. */
async function startWithCrowd(folder: string, size: Size): Promise<Crowd> {
  const isNew = !existsSync(folder);
  let server = await startSendwell(folder);
  if (isNew) {
    await server.stop();
    await writeCrowd(join(folder, 'sendwell/sendwell.db'), size);
    server = await startSendwell(folder);
  }
  const client = new SendwellClient(server.port);
  await client.signIn();
  return { server: { ...server, name: size.users.toLocaleString('en') }, cookie: client.cookie };
}

async function writeCrowd(file: string, size: Size): Promise<void> {
  const started = performance.now();
  const database = new DatabaseSync(file);
  // All in memory until the end: the rows come in no index's order.
  database.exec('pragma synchronous = off; pragma cache_size = -1000000; begin');
  writeRows(database, size);
  database.exec('commit');
  database.close();
  const written = performance.now();
  const db = await openDatabase({ file });
  await storePastDays({ db, clock: systemClock });
  await db.destroy();
  const seconds = (from: number, until: number) => ((until - from) / 1000).toFixed(1);
  console.log(
    `  ${size.transfers.toLocaleString('en')} transfers: written in ${seconds(started, written)} s, ` +
      `days kept in ${seconds(written, performance.now())} s`,
  );
}

/** Of the last 29 days alike; every tenth transfer was downloaded once. */
function writeRows(database: DatabaseSync, { users, transfers }: Size): void {
  const now = systemClock.now();
  const each = 'with recursive each (i) as (select 1 union all select i + 1 from each where i < ?)';
  const at = `(${now} - 29 * 86400000 + abs(i * 7919000003 % (29 * 86400000)))`;
  const userId = (index: string) =>
    `printf('%08x-0000-4000-8000-%012x', ${index} * 2654435761 % 4294967296, ${index})`;
  database
    .prepare(
      `${each} insert into users (id, name, username, "usernameKey", "passwordHash", email, "emailKey",
        "emailVerified", "isAdmin", tier, "createdAt")
      select ${userId('i')}, 'Person ' || i, 'user' || i, 'user' || i, '-', 'user' || i || '@example.org',
        'user' || i || '@example.org', 1, 0,
        case when i % 10 < 8 then 'free' when i % 10 = 8 then 'pro' else 'premium' end, ${at} from each`,
    )
    .run(users);
  database
    .prepare(
      `${each} insert into transfers (id, "userId", token, status, title, "recipientEmails", "expiresAt",
        "createdAt", "readyAt", "remindedAt", "fileCount", "expectedFiles", "totalBytes", "reservedBytes")
      select printf('%026d', i), ${userId(`(1 + i % ${users})`)}, printf('t%025d', i), 'ready',
        'Transfer number ' || i, '[]', ${at} + 60 * 86400000, ${at}, ${at}, ${at}, 1, 1,
        i * 7919 % 1000000000, i * 7919 % 1000000000 from each`,
    )
    .run(transfers);
  database
    .prepare(
      `${each} insert into downloads (id, "transferId", "downloadedAt", "noticedAt", "countedAt")
      select printf('%026d', i), printf('%026d', i * 10), ${at}, ${now}, ${now} from each`,
    )
    .run(transfers / 10);
}
