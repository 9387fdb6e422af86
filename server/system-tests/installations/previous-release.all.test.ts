import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { Client } from '../../../testing/calls/client.ts';
import { startPostgres, type TestPostgres } from '../../../testing/databases/postgres.ts';
import { beginUpload, finishUpload, signInAgain } from '../../../testing/network/half-sent.ts';
import { getThrough, machinePeer } from '../../../testing/processes/peers.ts';
import {
  hasPreviousRelease,
  type PreviousRelease,
  unpackPreviousRelease,
} from '../../../testing/processes/previous-release.ts';
import { prepareServerProcess, type ServerProcess } from '../../../testing/processes/server-process.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../../testing/storage/s3-server.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import { type Migrations, runMigrations } from '../../platform/db/migration-runner.ts';
import { type Db, openDatabase } from '../../platform/db/open.ts';
import { createLog } from '../../platform/lib/logging/log.ts';

const skip = (await hasPreviousRelease())
  ? false
  : 'this clone does not have the commit of the previous release';

describe('the previous release', { skip }, () => {
  let previous: PreviousRelease;
  before(async () => {
    previous = await unpackPreviousRelease();
  });
  after(() => previous?.remove());

  describe('beside this one on PostgreSQL and S3', {
    skip: !isS3ServerInstalled() && 'Swift is missing',
  }, () => {
    let postgres: TestPostgres;
    let s3: S3Server;
    before(async () => {
      [postgres, s3] = await Promise.all([startPostgres(), openS3Server()]);
    });
    after(() => Promise.all([postgres?.stop(), s3?.stop()]));

    async function openSite(t: TestContext, bucket: string) {
      const [url] = await Promise.all([postgres.createEmptyDatabase(), s3.createBucket(bucket)]);
      const db = await openDatabase({ url, file: '' });
      t.after(() => db.destroy());
      const env = {
        DATABASE_URL: url,
        SESSION_SECRET: 'the same secret on all of the machines',
        S3_BUCKET: bucket,
        S3_ENDPOINT: s3.endpoint,
        S3_REGION: s3.region,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        S3_FORCE_PATH_STYLE: 'on',
      };
      const old = await prepareServerProcess(t, env, previous.main);
      await old.start();
      return { db, env, old };
    }

    test('both serve the same uploads, downloads, sessions, limits and jobs', async (t) => {
      const { db, env, old } = await openSite(t, `rolling-${randomUUID()}`);
      const ada = await old.signIn();
      const before = await sendTransfer(ada, [{ fileName: 'before.bin', bytes: makeBytes(CHUNK_BYTES + 1) }]);
      const half = await beginUpload(old, ada);

      // This release starts and migrates while the previous one serves requests.
      const views = viewContinuously(old, [before.token]);
      const current = await prepareServerProcess(t, env);
      await current.start();
      await views.stop();
      assert.deepEqual(views.failures, []);

      const there = new Client(current.url, ada.jar);
      await finishUpload(half, current, ada);
      await Promise.all([
        requireWhole(current.anonymous(), before),
        requireWhole(old.anonymous(), half.sent!),
      ]);
      await signInAgain(old);
      for (const [sender, reader] of [
        [ada, current],
        [there, old],
      ] as const) {
        const sent = await sendTransfer(sender, [{ fileName: 'across.bin', bytes: makeBytes(70_000) }]);
        await requireWhole(reader.anonymous(), sent);
      }
      await requireExactLimit(there, [old, current]);

      // Each can also do the jobs alone, including those for files stored by the other.
      for (const [survivor, stopped] of [
        [current, old],
        [old, current],
      ] as const) {
        const sent = await sendTransfer(new Client(stopped.url, ada.jar), [
          { fileName: 'goes.bin', bytes: makeBytes(1_000) },
        ]);
        await untilJobsAreDone(db);
        await stopped.terminate();
        await new Client(survivor.url, ada.jar).call(deleteTransfer, { params: { id: sent.id } });
        await until(async () => !(await isThere(db, sent.id)));
        await untilJobsAreDone(db);
        if (stopped === old) await stopped.start();
      }
    });

    test('answers every view while large tables get columns and indexes during a long read', async (t) => {
      const { db, old } = await openSite(t, `migrated-${randomUUID()}`);
      const sent = await sendTransfer(await old.signIn(), [
        { fileName: 'seen.bin', bytes: makeBytes(1_000) },
      ]);
      await multiplyTransfers(db, 50_000);
      const reader = await db.startTransaction().execute();
      await reader.selectFrom('transfers').select('id').limit(1).execute();

      const views = viewContinuously(old, [sent.token, tokenOfCopy(7), tokenOfCopy(49_999)]);
      const migrating = runMigrations(db as never, SAMPLES, { log: createLog('silent') });
      // The open transaction blocks the migrations until this many views were answered.
      await views.untilCount(300);
      await reader.commit().execute();
      await migrating;
      await views.stop();
      assert.deepEqual(views.failures, []);
    });
  });
});

/** Adds a column and expensive indexes to the tables that every view uses. */
const SAMPLES: Migrations = {
  '0001-first': { up: async () => {} },
  '9001-column': {
    up: async (db) => {
      await db.schema.alterTable('transfers').addColumn('sample', 'bigint').execute();
    },
  },
  '9002-indexes': {
    indexes: (schema) => [
      schema.createIndex('sample_views').on('transferViews').columns(['viewedAt', 'transferId', 'id']),
      schema.createIndex('sample_transfers').on('transfers').columns(['title', 'createdAt', 'id']),
    ],
  },
};

async function requireExactLimit(client: Client, servers: ServerProcess[]): Promise<void> {
  const files = [{ fileName: 'limited.bin', bytes: makeBytes(1_000) }];
  const { token, fileIds } = await sendTransfer(client, files, { maxDownloads: 7 });
  const requests = Array.from({ length: 24 }, async (_, index) => {
    const server = servers[index % 2]!;
    const path = fileDownloadPath(token, fileIds[0]!);
    const response = await getThrough(machinePeer(server), server.anonymous(), path);
    await response.toArray();
    return response.statusCode;
  });
  const statuses = await Promise.all(requests);
  assert.equal(statuses.filter((status) => status === 200).length, 7, String(statuses));
}

/** Requests views continuously in four lanes and collects every status other than 200. */
function viewContinuously(server: ServerProcess, tokens: string[]) {
  const failures: (number | string)[] = [];
  let count = 0;
  let isStopped = false;
  const lane = async () => {
    while (!isStopped) {
      const path = `/api/download/${tokens[count % tokens.length]}`;
      count += 1;
      const status = await server
        .anonymous()
        .fetch(path, { headers: { accept: 'application/json' } })
        .then(
          async (response) => {
            await response.arrayBuffer();
            return response.status;
          },
          (error: Error) => error.message,
        );
      if (status !== 200) failures.push(status);
    }
  };
  const lanes = Array.from({ length: 4 }, lane);
  return {
    failures,
    untilCount: (more: number) => {
      const enough = count + more;
      return until(async () => count >= enough || failures.length > 0);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(lanes);
    },
  };
}

const TOKEN_LENGTH = 26;

function tokenOfCopy(number: number): string {
  return String(number).padStart(TOKEN_LENGTH, '0');
}

/** Copies the only transfer without its files and adds two views per copy. */
async function multiplyTransfers(db: Db, count: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_name = 'transfers' and table_schema = current_schema()`.execute(db);
  const others = rows.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'token');
  const columns = sql.join(others.map((name) => sql.ref(name)));
  await sql`
    insert into transfers (id, token, ${columns})
    select 'copy-' || n, lpad(n::text, ${sql.lit(TOKEN_LENGTH)}, '0'), ${columns}
    from (select * from transfers limit 1) as one, generate_series(1, ${sql.lit(count)}) as n`.execute(db);
  await sql`
    insert into "transferViews" (id, "transferId", "viewedAt")
    select 'view-' || n, 'copy-' || (1 + n % ${sql.lit(count)}), n
    from generate_series(1, ${sql.lit(2 * count)}) as n`.execute(db);
}

async function isThere(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('transfers').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Waits for the checksum of every file and asserts that no job was given up. */
async function untilJobsAreDone(db: Db): Promise<void> {
  await until(async () => {
    const unchecked = await db.selectFrom('files').select('id').where('checkedAt', 'is', null).execute();
    return unchecked.length === 0;
  });
  const failed = await db
    .selectFrom('jobs')
    .select(['name', 'lastError'])
    .where('failedAt', 'is not', null)
    .execute();
  assert.deepEqual(failed, []);
}

/** Waits longer than other tests: these start many servers, and the machine may be busy. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 3_000, 'the condition was not met in time');
    await sleep(20);
  }
}
