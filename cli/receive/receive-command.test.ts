import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { shareLink } from '../../contracts/values/addresses/links.ts';
import { FILES_PER_PAGE } from '../../contracts/values/paging.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { Cli } from '../../testing/processes/cli-process.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { seedManyFiles } from '../../testing/uploads/many-files.ts';

const COUNT = 2 * FILES_PER_PAGE + 500;

test('hidden files at the root and reserved names are refused before the download unless allowed', async (t) => {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    maxDownloads: 1,
    files: ['.bashrc', '.github/workflows/x.yml', 'nul', 'site/.env'].map((path) => ({ path, bytes: path })),
  });
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cli = new Cli(folder, {});
  const link = shareLink(server.url, transfer.token);

  const refused = await cli.run(['receive', link, '--to', 'in']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /hidden or reserved names: \.bashrc, \.github\/workflows\/x\.yml, nul\./);
  assert.match(refused.stderr, /--allow-special-names/);
  const refusedAsJson = await cli.runJson(['receive', link, '--to', 'in']);
  assert.deepEqual(refusedAsJson.facts.specialNames, ['.bashrc', '.github/workflows/x.yml', 'nul']);
  assert.deepEqual(await cli.listStateFiles(), []);
  await assert.rejects(readdir(join(folder, 'in')), { code: 'ENOENT' });

  const allowed = await cli.run(['receive', link, '--to', 'in', '--allow-special-names']);
  assert.equal(allowed.code, 0, allowed.stderr);
  const names = await readdir(join(folder, 'in'), { recursive: true });
  assert.deepEqual(names.toSorted(), [
    '.bashrc',
    '.github',
    '.github/workflows',
    '.github/workflows/x.yml',
    'nul',
    'site',
    'site/.env',
  ]);
});

test('a transfer with several pages of files or one folder of it can be received', onlyInAll, async (t) => {
  const server = await startTestServer(t);
  const { token } = await seedManyFiles(server.context, { userId: server.userId('paula'), count: COUNT });
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cli = new Cli(folder, {});
  const link = shareLink(server.url, token);

  const whole = await cli.run(['receive', link, '--to', 'all']);
  assert.equal(whole.code, 0, whole.stderr);
  assert.equal(await countFiles(join(folder, 'all')), COUNT);

  const part = await cli.run(['receive', link, '--to', 'part', '--file', 'folder-7']);
  assert.equal(part.code, 0, part.stderr);
  const received = await readdir(join(folder, 'part/folder-7'));
  assert.equal(received.length, COUNT / 50);
  assert.ok(received.includes('file-2457.bin'));
});

async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
