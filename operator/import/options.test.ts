import assert from 'node:assert/strict';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { insertOrFindImport } from '../../server/features/imports/index.ts';
import { AppError } from '../../server/platform/lib/app-error.ts';
import { CAST } from '../../testing/cast.ts';
import { makeFolder, writeStored } from '../../testing/imports/fixture.ts';
import { makeGokapi } from '../../testing/imports/gokapi.ts';
import { makePingvin } from '../../testing/imports/pingvin.ts';
import { runImport } from '../../testing/imports/run-import.ts';
import { startTestServer } from '../../testing/test-context.ts';

test('administrators, an heir, and addresses are taken from the options', async (t) => {
  const server = await startTestServer(t);
  const now = server.clock.now();
  const { folder: from, counts } = await makePingvin(t, now);
  const pingvin = await runImport(server, 'pingvin', { from, keepAdmins: true, owner: 'ada', dryRun: true });
  assert.equal(pingvin.users.administrators, 1);
  assert.equal(pingvin.shares.imported, counts.shares.imported + 1);
  await assert.rejects(runImport(server, 'pingvin', { from, owner: 'nobody' }), /no user nobody/);
  const gokapi = await makeGokapi(t, now);
  await runImport(server, 'gokapi', { from: gokapi.folder, emailDomain: 'example.com', keepAdmins: true });
  const rows = await server.context.db
    .selectFrom('users')
    .select(['username', 'email', 'isAdmin', 'tier'])
    .where('username', 'in', ['admin', 'grace'])
    .orderBy('username')
    .execute();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { username: 'admin', email: 'admin@example.com', isAdmin: 1, tier: 'free' },
      { username: 'grace', email: 'grace@example.net', isAdmin: 0, tier: 'free' },
    ],
  );
});

test('an account that has not verified the address gets nobody’s shares', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  await db.updateTable('users').set({ emailVerified: 0 }).where('email', '=', CAST.frida.email).execute();
  const { folder: from, counts } = await makePingvin(t, server.clock.now());
  const { users, shares, problems } = await runImport(server, 'pingvin', { from, dryRun: true });
  assert.deepEqual([users.joined, users.skipped], [0, 1]);
  assert.equal(shares.imported, counts.shares.imported - 1);
  assert.match(problems.find(({ kind }) => kind === 'user')!.reason, /has not verified it/);
});

test('another installation of the product needs another name', async (t) => {
  const server = await startTestServer(t);
  const { folder: from } = await makePingvin(t, server.clock.now());
  const row = { id: 'x', name: 'pingvin', product: 'pingvin', fingerprint: 'other', createdAt: 0 } as const;
  await insertOrFindImport(server.context.db, row);
  await assert.rejects(runImport(server, 'pingvin', { from, dryRun: true }), /Choose a name .* --name/);
  assert.equal((await runImport(server, 'pingvin', { from, dryRun: true, name: 'second' })).name, 'second');
  await assert.rejects(runImport(server, 'undo', { yes: true, name: 'third' }), /There is pingvin/);
  await assert.rejects(runImport(server, 'undo', {}), /add --yes/);
});

test('a full storage stops the import, and it continues once there is space', async (t) => {
  const server = await startTestServer(t);
  const { blobs, db } = server.context;
  const { folder: from, counts } = await makePingvin(t, server.clock.now());
  const freeSpace = t.mock.method(blobs, 'freeSpace', async () => ({ freeBytes: 0, totalBytes: 1 }));
  await assert.rejects(runImport(server, 'pingvin', { from }), /Nothing was imported: .* not enough/);
  freeSpace.mock.restore();
  const { writeChunk } = blobs;
  let chunks = 0;
  const writing = t.mock.method(blobs, 'writeChunk', (...args: Parameters<typeof writeChunk>) => {
    chunks += 1;
    if (chunks > 2) throw new AppError('storage_full');
    return writeChunk.apply(blobs, args);
  });
  await assert.rejects(runImport(server, 'pingvin', { from }), /The storage is full/);
  writing.mock.restore();
  const { shares } = await runImport(server, 'pingvin', { from });
  assert.equal(shares.imported + shares.alreadyImported, counts.shares.imported);
  const rows = await db.selectFrom('files').select('storageKey').execute();
  const stored: string[] = [];
  for await (const { storageKey } of blobs.list()) stored.push(storageKey);
  const named = rows.map(({ storageKey }) => storageKey);
  assert.ok(
    stored.every((key) => named.includes(key)),
    'nothing of the failed attempt is left',
  );
});

test('folders that are not of the product, or of another release, are refused', async (t) => {
  const server = await startTestServer(t);
  const empty = await makeFolder(t);
  for (const product of ['pingvin', 'palmr', 'gokapi', 'projectsend'] as const)
    await assert.rejects(runImport(server, product, { from: empty }), /There is no /, product);
  await assert.rejects(runImport(server, 'palmr', { from: join(empty, 'none') }), /is not a folder/);
  await assert.rejects(runImport(server, 'palmr', {}), /Add --from/);
  const { folder } = await makePingvin(t, server.clock.now());
  await mkdir(join(empty, 'prisma'));
  await copyFile(join(folder, 'pingvin-share.db'), join(empty, 'prisma/palmr.db'));
  await assert.rejects(
    runImport(server, 'palmr', { from: empty }),
    /no users\.id: .* not of a supported release/,
  );
  await rm(join(folder, 'pingvin-share.db'));
  await writeStored(join(folder, 'pingvin-share.db'), Buffer.from('no database at all, but long enough'));
  await assert.rejects(runImport(server, 'pingvin', { from: folder }), /cannot be read/);
  await writeStored(join(empty, 'a.sql'), Buffer.from('CREATE TABLE `x` (\n  `id` int\n);\n'));
  await assert.rejects(runImport(server, 'projectsend', { from: empty }), /no table of ProjectSend/);
});
