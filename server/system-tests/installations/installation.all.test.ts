import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import {
  FILES,
  MARKER,
  makeBucket,
  noS3,
  postgres,
  readMarker,
  requireRefusal,
} from '../../../testing/processes/installations.ts';
import { runCli, runCliForJson } from '../../../testing/processes/run-cli.ts';
import {
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from '../../../testing/processes/server-process.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { openDatabase } from '../../platform/db/open.ts';
import { findOrphanQuarantineEnd } from '../../platform/storage/installation/removal-hold.ts';

const SECRET = { SESSION_SECRET: 'the same secret on every machine of this test' };

describe('the wrong database', () => {
  test('an empty database refuses to start on files from before installation IDs', async (t) => {
    const server = await startServerProcess(t);
    await sendTransfer(await server.signIn(), FILES);
    await server.terminate();
    await forgetInstallation(server);
    const wrong = await prepareServerProcess(t, {
      DATA_DIR: server.dataDir,
      DATABASE_URL: await postgres.createEmptyDatabase(),
    });
    await requireRefusal(wrong, /contains files that this database does not know/);
    assert.equal(existsSync(join(server.dataDir, 'blobs', MARKER)), false);
  });

  test('restoring an older database onto a newer bucket keeps the ID and postpones orphan removal', {
    skip: noS3,
  }, async (t) => {
    const bucket = await makeBucket();
    const env = { ...bucket, ...SECRET };
    const server = await startServerProcess(t, {
      ...env,
      DATABASE_URL: await postgres.createEmptyDatabase(),
    });
    const older = await sendTransfer(await server.signIn(), FILES);
    const backup = await makeFolder(t);
    assert.equal((await runCli(server.environment, 'backup', backup, '--without-files')).code, 0);
    await sendTransfer(await server.signIn(), FILES);
    await server.terminate();
    const url = await postgres.createEmptyDatabase();
    const target = await prepareServerProcess(t, { ...env, DATABASE_URL: url });
    assert.equal((await runCliForJson(target.environment, 'restore', backup)).code, 0);
    await target.start();
    await requireWhole(target.anonymous(), older);
    const db = await openDatabase({ url, file: '' });
    t.after(() => db.destroy());
    assert.ok(((await findOrphanQuarantineEnd(db)) ?? 0) > Date.now() + 2 * DAY_MS);
  });
});

describe('a missing mount', () => {
  for (const engine of ['SQLite', 'PostgreSQL'])
    test(`keeps a server on ${engine} from starting, with a message`, async (t) => {
      const env: Record<string, string> =
        engine === 'SQLite' ? {} : { DATABASE_URL: await postgres.createEmptyDatabase() };
      const server = await startServerProcess(t, env);
      const sent = await sendTransfer(await server.signIn(), FILES);
      await server.terminate();
      const blobs = join(server.dataDir, 'blobs');
      renameSync(blobs, `${blobs}.unmounted`);
      await mkdir(blobs);
      await requireRefusal(server, /does not have its marker.*mount/);
      await rm(blobs, { recursive: true });
      renameSync(`${blobs}.unmounted`, blobs);
      await server.start();
      await requireWhole(server.anonymous(), sent);
    });

  test('also keeps an installation from before installation IDs from starting', async (t) => {
    const server = await startServerProcess(t);
    await sendTransfer(await server.signIn(), FILES);
    await server.terminate();
    await forgetInstallation(server);
    const blobs = join(server.dataDir, 'blobs');
    renameSync(blobs, `${blobs}.unmounted`);
    await requireRefusal(server, /refers to files, but .* is empty.*mount/);
  });
});

describe('several machines', () => {
  test('on one PostgreSQL with a disk each: only the first one starts', async (t) => {
    const env = { ...SECRET, DATABASE_URL: await postgres.createEmptyDatabase() };
    const first = await startServerProcess(t, env);
    const second = await prepareServerProcess(t, env);
    await requireRefusal(second, /does not have its marker.*S3/);
    const sent = await sendTransfer(await first.signIn(), FILES);
    await requireRefusal(second, /does not have its marker/);
    await requireWhole(first.anonymous(), sent);
  });

  test('started together on one PostgreSQL with a disk each: exactly one keeps running', async (t) => {
    const env = { ...SECRET, DATABASE_URL: await postgres.createEmptyDatabase() };
    const machines = await Promise.all([1, 2, 3].map(() => prepareServerProcess(t, env)));
    const ends = await Promise.all(
      machines.map((machine) =>
        machine.start().then(
          () => 'serves',
          (error: Error) => error.message,
        ),
      ),
    );
    assert.equal(ends.filter((end) => end === 'serves').length, 1, ends.join('\n'));
    for (const end of ends) assert.match(end, /serves|belongs to another|does not have its marker/);
  });

  test('started together on one PostgreSQL and one bucket: all agree on one ID', {
    skip: noS3,
  }, async (t) => {
    const env = { ...SECRET, ...(await makeBucket()), DATABASE_URL: await postgres.createEmptyDatabase() };
    const machines = await Promise.all(
      [1, 2, 3].map(() => prepareServerProcess(t, { ...env, WORKERS: '2' })),
    );
    await Promise.all(machines.map((machine) => machine.start()));
  });
});

test('a first start that was killed at any moment is completed by the next', async (t) => {
  const server = await prepareServerProcess(t);
  for (let delay = 150; delay <= 600; delay += 50) {
    server.launch();
    await new Promise((resolve) => setTimeout(resolve, delay));
    await server.kill();
  }
  await server.start();
  assert.match(readMarker(server.dataDir), /"installationId"/);
});

test('an installation from before installation IDs gets one at its next start and postpones orphan removal', async (t) => {
  const server = await startServerProcess(t);
  const sent = await sendTransfer(await server.signIn(), FILES);
  await server.terminate();
  await forgetInstallation(server);
  await server.start();
  await requireWhole(server.anonymous(), sent);
  assert.match(readMarker(server.dataDir), /"installationId"/);
  const { value } = server.withDatabase((db) =>
    db.prepare(`select value from settings where key = 'orphanQuarantineUntil'`).get(),
  ) as { value: string };
  assert.ok(Number(value) > Date.now());
});

test('a disk installation that was moved to a bucket refuses to start without the bucket', {
  skip: noS3,
}, async (t) => {
  const server = await startServerProcess(t);
  const sent = await sendTransfer(await server.signIn(), FILES);
  await server.terminate();
  const bucket = await makeBucket();
  const moving = await startServerProcess(t, { ...bucket, DATA_DIR: server.dataDir });
  assert.equal((await runCli(moving.environment, 'move-to-s3')).code, 0);
  await moving.terminate();
  await requireRefusal(server, /S3_BUCKET is not set/);
  await moving.start();
  await requireWhole(moving.anonymous(), sent);
  await moving.terminate();
  const elsewhere = await prepareServerProcess(t, { ...(await makeBucket()), DATA_DIR: server.dataDir });
  await requireRefusal(elsewhere, /does not have its marker/);
});

test('a new disk installation without files can switch to a bucket by its settings alone', {
  skip: noS3,
}, async (t) => {
  const server = await startServerProcess(t);
  await server.terminate();
  await startServerProcess(t, { ...(await makeBucket()), DATA_DIR: server.dataDir });
});

describe('a restore', () => {
  test('refuses a folder of another installation unless it is adopted', async (t) => {
    const source = await startServerProcess(t);
    const sent = await sendTransfer(await source.signIn(), FILES);
    const backup = await makeFolder(t);
    assert.equal((await runCli(source.environment, 'backup', backup)).code, 0);
    const other = await startServerProcess(t);
    await sendTransfer(await other.signIn(), FILES);
    await other.terminate();
    const target = await prepareServerProcess(t, {
      DATA_DIR: other.dataDir,
      DATABASE_URL: await postgres.createEmptyDatabase(),
    });
    const refused = await runCli(target.environment, 'restore', backup, '--force');
    assert.deepEqual([refused.code, refused.stderr.includes('--adopt-storage')], [1, true], refused.stderr);
    await unlink(join(other.dataDir, 'restoring')).catch(() => undefined);
    const done = await runCli(target.environment, 'restore', backup, '--force', '--adopt-storage');
    assert.equal(done.code, 0, done.stderr);
    await target.start();
    await requireWhole(target.anonymous(), sent);
    await target.terminate();
    await requireRefusal(other, /belongs to another Sendwell installation/);
  });

  test('of a backup from before installation IDs creates an ID for database and storage', async (t) => {
    const source = await startServerProcess(t);
    const sent = await sendTransfer(await source.signIn(), FILES);
    source.withDatabase((db) => db.exec(`delete from settings where key like 'installation%'`));
    await source.terminate();
    await unlink(join(source.dataDir, 'blobs', MARKER));
    await source.start();
    const backup = await makeFolder(t);
    assert.equal((await runCli(source.environment, 'backup', backup)).code, 0);
    const target = await prepareServerProcess(t);
    assert.equal((await runCli(target.environment, 'restore', backup)).code, 0);
    await target.start();
    await requireWhole(target.anonymous(), sent);
    assert.equal(readMarker(target.dataDir), readMarker(source.dataDir), 'the restored pair keeps the id');
  });
});

/** Restores the state of a version without installation IDs. */
async function forgetInstallation(server: ServerProcess): Promise<void> {
  server.withDatabase((db) =>
    db.exec(`delete from settings where key like 'installation%' or key = 'orphanQuarantineUntil'`),
  );
  await unlink(join(server.dataDir, 'blobs', MARKER)).catch(() => undefined);
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-identity-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
