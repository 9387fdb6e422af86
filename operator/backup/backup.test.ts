import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { BackupLoad } from '../../testing/processes/backup-load.ts';
import { makeFolder, requireRestorable } from '../../testing/processes/backup-sites.ts';
import { runCli, runCliForJson } from '../../testing/processes/run-cli.ts';
import { prepareServerProcess, startServerProcess } from '../../testing/processes/server-process.ts';

test('a backup of a busy server restores every acknowledged file, on SQLite and disk', onlyInAll, (t) =>
  requireRestorable(t, async () => ({})),
);

test('restore refuses a running server, existing data and a damaged backup', onlyInAll, async (t) => {
  const server = await startServerProcess(t);
  const sent = await new BackupLoad(await server.signIn()).send('one');
  const folder = await makeFolder(t);
  await runCliForJson(server.environment, 'backup', folder);
  const running = await runCli(server.environment, 'restore', folder, '--force');
  assert.deepEqual([running.code, running.stderr.includes('A server is running')], [1, true]);
  await server.terminate();
  const occupied = await runCli(server.environment, 'restore', folder);
  assert.deepEqual([occupied.code, occupied.stderr.includes('--force')], [1, true]);
  const [prefix] = readdirSync(join(folder, 'blobs'));
  const [name] = readdirSync(join(folder, 'blobs', prefix!));
  const path = join(folder, 'blobs', prefix!, name!);
  const bytes = readFileSync(path);
  bytes[5]! ^= 1;
  writeFileSync(path, bytes);
  const heir = await prepareServerProcess(t);
  const damaged = await runCli(heir.environment, 'restore', folder);
  assert.deepEqual([damaged.code, damaged.stderr.includes('--continue')], [1, true]);
  assert.ok(!readdirSync(heir.dataDir).includes('restoring'), 'it has begun to write');
  const most = await runCliForJson(heir.environment, 'restore', folder, '--continue');
  assert.deepEqual([most.code, most.damagedFiles], [3, 1]);
  await heir.start();
  const ada = await heir.signIn();
  const statuses: number[] = [];
  for (const fileId of sent.fileIds) {
    const response = await ada.fetch(fileDownloadPath(sent.token, fileId));
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  assert.equal(statuses.filter((status) => status === 200).length, 3, statuses.join());
});
