import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { FILES_PER_PAGE } from '../../contracts/transfers/file-pages.ts';
import { shareLink } from '../../contracts/values/links.ts';
import { onlyInAll } from '../../testing/only-in-all.ts';
import { Cli } from '../../testing/processes/cli-process.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { seedManyFiles } from '../../testing/uploads/many-files.ts';

const COUNT = 2 * FILES_PER_PAGE + 500;

test(
  'a transfer of more files than one page lists is received whole, or by a folder of it',
  onlyInAll,
  async (t) => {
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
  },
);

async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
