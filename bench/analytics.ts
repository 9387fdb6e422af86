/** A sender with a history: transfers sent the usual way, then views and downloads of 90 days written at once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KIB } from '../contracts/values/sizes.ts';
import { countAll } from '../server/features/analytics/totals/count-events.ts';
import { openDatabase } from '../server/platform/db/open.ts';
import { openGeo } from '../server/platform/geo/geo.ts';
import { systemClock } from '../server/platform/lib/clock.ts';
import { SendwellClient, type SentTransfer } from './sendwell-client.ts';
import { type Server, startSendwell } from './servers.ts';

const TRANSFERS = 10;
const FILES_EACH = 5;
const DAYS = 90;

type Size = { downloads: number; views: number };

export type History = {
  server: Server;
  cookie: string;
  paths: { overall: string; oneTransfer: string };
};

/** Makes the history once for each folder. */
export async function startWithHistory(folder: string, size: Size): Promise<History> {
  const isNew = !existsSync(folder);
  let { server, client } = await startAndSignIn(folder);
  if (isNew) {
    const sent: SentTransfer[] = [];
    for (let count = 0; count < TRANSFERS; count += 1) {
      sent.push(await client.sendFiles(FILES_EACH, Buffer.alloc(KIB), 1));
    }
    await server.stop();
    await writeHistory(join(folder, 'sendwell/sendwell.db'), sent, size);
    ({ server, client } = await startAndSignIn(folder));
  }
  const [transferId] = await client.listTransferIds();
  return {
    server: { ...server, name: size.downloads.toLocaleString('en') },
    cookie: client.cookie,
    paths: {
      overall: `/api/analytics?days=${DAYS}`,
      oneTransfer: `/api/transfers/${transferId}/analytics?days=${DAYS}`,
    },
  };
}

async function startAndSignIn(folder: string): Promise<{ server: Server; client: SendwellClient }> {
  const server = await startSendwell(folder);
  const client = new SendwellClient(server.port);
  await client.signIn();
  return { server, client };
}

async function writeHistory(file: string, sent: SentTransfer[], size: Size): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("pragma synchronous = off; update users set tier = 'premium'");
  writeRows(database, sent, size);
  database.close();
  const db = await openDatabase({ file });
  const started = performance.now();
  const geo = await openGeo({ cityFile: undefined });
  await countAll({ db, geo, clock: systemClock }, { signal: new AbortController().signal });
  const seconds = (performance.now() - started) / 1000;
  const rows = size.downloads + size.views;
  console.log(`  counting ${rows.toLocaleString('en')} rows took ${seconds.toFixed(1)} s, one after another`);
  await db.destroy();
}

/** Visitors from all over the world, on all days alike, with 30 referers and three kinds of device. */
function writeRows(database: DatabaseSync, sent: SentTransfer[], { downloads, views }: Size): void {
  const common = `
    with recursive each (i) as (select 1 union all select i + 1 from each where i < ?),
    row as (
      select i, printf('%026d', i) as id,
        (select value from json_each(?) where key = i % ${TRANSFERS}) as transferId,
        ? - abs(i * 7919000003 % (${DAYS - 1} * 86400000)) as at,
        printf('%d.%d.%d.%d', 1 + i * 31 % 220, i * 17 % 256, i * 7 % 256, i * 3 % 256) as ipAddress,
        case i % 3 when 0 then 'X11; Linux x86_64' when 1 then 'iPhone; Mobile' else 'iPad' end as userAgent
      from each
    )`;
  const ids = JSON.stringify(sent.map(({ id }) => id));
  const firstFiles = JSON.stringify(sent.map(({ firstFileId }) => firstFileId));
  const now = systemClock.now();
  database
    .prepare(
      `${common} insert into downloads
        (id, transferId, fileId, downloadedAt, ipAddress, userAgent, completedAt, noticedAt)
      select id, transferId,
        case i % 2 when 0 then null else (select value from json_each(?) where key = i % ${TRANSFERS}) end,
        at, ipAddress, userAgent, at + 1000, at from row`,
    )
    .run(downloads, ids, now, firstFiles);
  database
    .prepare(
      `${common} insert into "transferViews"
        (id, transferId, viewedAt, ipAddress, userAgent, referer, noticedAt)
      select id, transferId, at, ipAddress, userAgent, 'https://example.org/page/' || (i % 30), at from row`,
    )
    .run(views, ids, now);
}
