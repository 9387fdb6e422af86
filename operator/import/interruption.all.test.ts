import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { createDatabase, insert, makeFolder, writeStored } from '../../testing/imports/fixture.ts';
import { PINGVIN_DDL } from '../../testing/imports/pingvin.ts';
import { until } from '../../testing/lib/until.ts';
import { launchCli, runCli, runCliForJson } from '../../testing/processes/run-cli.ts';
import { prepareServerProcess, type ServerProcess } from '../../testing/processes/server-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const SHARES = 12;
const FILES_PER_SHARE = 150;

/** Twelve shares of 150 files each, the first of which has several chunks. */
async function makeManyShares(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  const database = createDatabase(join(folder, 'pingvin-share.db'), PINGVIN_DDL);
  const createdAt = Date.now() - DAY_MS;
  const owner = { id: 'u1', username: 'owner', email: 'owner@example.net', password: null };
  insert(database, 'User', [{ ...owner, createdAt, updatedAt: createdAt }]);
  database.exec('begin');
  for (let share = 0; share < SHARES; share += 1) {
    const shareId = `share-${share}`;
    insert(database, 'Share', [{ id: shareId, createdAt, uploadLocked: 1, expiration: 0, creatorId: 'u1' }]);
    for (let file = 0; file < FILES_PER_SHARE; file += 1) {
      const id = `f-${share}-${file}`;
      const bytes = makeBytes(file === 0 ? 11_000_000 : 2_000, id);
      insert(database, 'File', [{ id, name: `${file}.bin`, size: String(bytes.length), shareId, createdAt }]);
      await writeStored(join(folder, 'uploads/shares', shareId, id), bytes);
    }
  }
  database.exec('commit');
  database.close();
  return folder;
}

function count(server: ServerProcess, sql: string): number {
  const row = server.withDatabase((db) => db.prepare(`select count(*) as count from ${sql}`).get());
  return Number((row as { count: number }).count);
}

/** Every transfer has all its files, and every named blob its bytes. */
function checkWhole(server: ServerProcess): void {
  const halves = `transfers t where t."fileCount" <> (select count(*) from files f where f."transferId" = t.id)
    or t."fileCount" <> ${FILES_PER_SHARE} or t.status <> 'ready'`;
  assert.equal(count(server, halves), 0, 'no transfer is half imported');
  const keys = server.withDatabase((db) =>
    db.prepare('select "storageKey" as key from files union select "storageKey" from "importedBlobs"').all(),
  ) as { key: string }[];
  for (const { key } of keys)
    assert.ok(existsSync(join(server.dataDir, 'blobs', key.slice(0, 2), key)), `the blob ${key} exists`);
}

test('an import that is killed again and again ends with every share whole and imported once', async (t) => {
  const server = await prepareServerProcess(t);
  const { environment } = server;
  assert.equal((await runCli(environment, 'migrate')).code, 0);
  const from = await makeManyShares(t);
  const run = ['import', 'pingvin', '--from', from];
  for (const enough of [
    () => count(server, '"importedBlobs"') > 0,
    () => count(server, 'transfers') >= 2 && count(server, '"importedBlobs"') > 0,
    () => count(server, 'transfers') >= 5,
    () => count(server, 'transfers') >= 8 && count(server, '"importedBlobs"') > 0,
  ]) {
    const { child, end } = launchCli(environment, ...run);
    await until(async () => enough() || child.exitCode !== null);
    assert.equal(child.exitCode, null, 'the import still runs');
    child.kill('SIGKILL');
    await end;
    checkWhole(server);
  }
  const staged = count(server, '"importedBlobs"');
  const before = count(server, 'transfers');
  const last = await runCliForJson(environment, ...run);
  assert.equal(last.code, 0);
  checkWhole(server);
  assert.equal(count(server, 'transfers'), SHARES);
  assert.equal(count(server, 'files'), SHARES * FILES_PER_SHARE);
  assert.equal(count(server, `users where username = 'owner'`), 1);
  assert.equal(count(server, '"importedBlobs"'), 0);
  const { alreadyImported, imported } = last.shares as Record<string, number>;
  assert.deepEqual([alreadyImported, imported], [before, SHARES - before], `${staged} blobs were used again`);
  const deep = await runCliForJson(environment, 'verify-storage', '--deep');
  assert.deepEqual([deep.files, (deep.findings as unknown[]).length], [SHARES * FILES_PER_SHARE, 0]);
});

test('two imports of the same installation at once import every share once', async (t) => {
  const server = await prepareServerProcess(t);
  const { environment } = server;
  assert.equal((await runCli(environment, 'migrate')).code, 0);
  const from = await makeManyShares(t);
  const run = ['import', 'pingvin', '--from', from];
  const ends = await Promise.all([runCli(environment, ...run), runCli(environment, ...run)]);
  checkWhole(server);
  assert.ok(ends.some(({ code }) => code === 0 || code === 1));
  const last = await runCliForJson(environment, ...run);
  assert.equal(last.code, 0);
  checkWhole(server);
  assert.deepEqual(
    [count(server, 'transfers'), count(server, `users where username = 'owner'`)],
    [SHARES, 1],
  );
});
