import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBeingRestored } from '../../server/platform/storage/installation/restoring-mark.ts';
import { openPostgres } from '../../testing/databases/postgres.ts';
import { until } from '../../testing/lib/until.ts';
import { BackupLoad } from '../../testing/processes/backup-load.ts';
import {
  makeFolder,
  requireAll,
  requireConsistent,
  requireRestorable,
} from '../../testing/processes/backup-sites.ts';
import { launchCli, runCli, runCliForJson } from '../../testing/processes/run-cli.ts';
import {
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from '../../testing/processes/server-process.ts';
import { isS3ServerInstalled, openS3Server } from '../../testing/storage/s3-server.ts';
import { requireWhole } from '../../testing/uploads/send-transfer.ts';

const postgres = await openPostgres();
const s3 = isS3ServerInstalled() ? await openS3Server() : undefined;
after(() => postgres.stop());
after(() => s3?.stop());

async function makeBucket(): Promise<Record<string, string>> {
  const bucket = `backup-${randomUUID()}`;
  await s3!.createBucket(bucket);
  return {
    S3_BUCKET: bucket,
    S3_ENDPOINT: s3!.endpoint,
    S3_REGION: s3!.region,
    S3_ACCESS_KEY_ID: s3!.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3!.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'on',
  };
}

test('a backup of a busy server restores every acknowledged file, on PostgreSQL and disk', (t) =>
  requireRestorable(t, async () => ({ DATABASE_URL: await postgres.createEmptyDatabase() })));

test(
  'a backup of a busy server restores every acknowledged file, on PostgreSQL and S3',
  {
    skip: !s3 && 'no S3 server here',
  },
  (t) =>
    requireRestorable(t, async () => ({
      DATABASE_URL: await postgres.createEmptyDatabase(),
      ...(await makeBucket()),
    })),
);

test('a second backup copies only new blobs', async (t) => {
  const server = await startServerProcess(t);
  const load = new BackupLoad(await server.signIn());
  const folder = await makeFolder(t);
  const first = await load.send('one');
  const one = await runCliForJson(server.environment, 'backup', folder);
  assert.deepEqual([one.copiedBlobs, one.blobs], [2, 2]);
  const idle = await runCliForJson(server.environment, 'backup', folder);
  assert.deepEqual([idle.copiedBlobs, idle.blobs], [0, 2]);
  const second = await load.send('two');
  const two = await runCliForJson(server.environment, 'backup', folder);
  assert.deepEqual([two.copiedBlobs, two.blobs], [2, 4]);
  const target = await prepareServerProcess(t);
  await runCliForJson(target.environment, 'restore', folder);
  await target.start();
  await requireAll(await target.signIn(), [first, second]);
});

test('a backup of SQLite and disk is restored to PostgreSQL', async (t) => {
  const server = await startServerProcess(t);
  const load = new BackupLoad(await server.signIn());
  const sent = await load.send('moved');
  const folder = await makeFolder(t);
  await runCliForJson(server.environment, 'backup', folder);
  const target = await prepareServerProcess(t, { DATABASE_URL: await postgres.createEmptyDatabase() });
  await runCliForJson(target.environment, 'restore', folder);
  await target.start();
  await requireWhole(await target.signIn(), sent);
  await requireConsistent(target);
});

test('after kill -9 during a backup or its cleanup, every listed generation is complete', async (t) => {
  const server = await startServerProcess(t);
  const env = server.environment;
  const load = new BackupLoad(await server.signIn());
  const folder = await makeFolder(t);
  const sent = await load.send('one');
  for (const delay of [450, 600, 750]) await killCliAfter(env, delay, 'backup', folder);
  const isWhole = (await listGenerations(env, folder)).length > 0;
  const refused = await runCli((await prepareServerProcess(t)).environment, 'restore', folder);
  assert.equal(refused.code === 0, isWhole, refused.stderr);
  await runCliForJson(env, 'backup', folder);
  await load.send('two');
  await runCliForJson(env, 'backup', folder);
  const before = await listGenerations(env, folder);
  for (const delay of [450, 650, 850, 1_100])
    await killCliAfter(env, delay, 'backup', folder, '--keep', '2', '--verify');
  const after = await listGenerations(env, folder);
  if (after.join() === before.join()) t.diagnostic('every backup was killed before it was complete');
  assert.ok(after.length >= 2, after.join());
  const verified = await runCliForJson(env, 'verify-backup', folder);
  assert.deepEqual([verified.code, verified.found, verified.unreadable], [0, [], []]);
  const target = await prepareServerProcess(t);
  await runCliForJson(target.environment, 'restore', folder, '--generation', after[0]!);
  await target.start();
  await requireWhole(await target.signIn(), sent);
  await requireConsistent(target);
  await runCliForJson(env, 'backup', folder, '--keep', '2');
  assert.equal((await listGenerations(env, folder)).length, 2);
  const strays = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.tmp'));
  assert.deepEqual(strays, []);
});

test('after an interrupted restore no server starts until the restore is repeated', async (t) => {
  const server = await startServerProcess(t);
  const load = new BackupLoad(await server.signIn());
  const sent = [await load.send('one'), await load.send('two'), await load.send('three')];
  const folder = await makeFolder(t);
  await runCliForJson(server.environment, 'backup', folder);
  const target = await prepareServerProcess(t);
  for (const delay of [0, 10, 30]) {
    await killRestoring(target, delay, folder);
    target.launch();
    const { code, output } = await target.waitForExit();
    assert.deepEqual([code, output.includes('was restored only partly')], [1, true], output);
  }
  await runCliForJson(target.environment, 'restore', folder, '--force');
  await target.start();
  await requireAll(await target.signIn(), sent);
  await requireConsistent(target);
});

test('restore refuses a PostgreSQL database that a server uses', async (t) => {
  const env = { DATABASE_URL: await postgres.createEmptyDatabase() };
  const server = await startServerProcess(t, env);
  const folder = await makeFolder(t);
  await runCliForJson(server.environment, 'backup', folder);
  const other = await prepareServerProcess(t, env);
  const refused = await runCli(other.environment, 'restore', folder, '--force');
  assert.deepEqual([refused.code, refused.stderr.includes('Servers are running')], [1, true], refused.stderr);
});

async function listGenerations(environment: Record<string, string>, folder: string): Promise<string[]> {
  const { generations } = await runCliForJson(environment, 'list-backups', folder);
  return (generations as { name: string }[]).map(({ name }) => name);
}

/**
 * Restores a backup over existing data and kills the command `delayMs` after it has begun to change files. If the
 * command finishes earlier, it runs again with half the delay.
 */
async function killRestoring(target: ServerProcess, delayMs: number, folder: string): Promise<void> {
  for (let delay = delayMs; ; delay = Math.floor(delay / 2)) {
    rmSync(join(target.dataDir, 'restoring'), { force: true });
    const { child, end } = launchCli(target.environment, 'restore', folder, '--force');
    await until(async () => isBeingRestored(target.dataDir) || child.exitCode !== null);
    await sleep(delay);
    child.kill('SIGKILL');
    await end;
    if (isBeingRestored(target.dataDir)) return;
  }
}

async function killCliAfter(
  environment: Record<string, string>,
  delayMs: number,
  ...args: string[]
): Promise<void> {
  const { child, end } = launchCli(environment, ...args);
  const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
  await end;
  clearTimeout(timer);
}
