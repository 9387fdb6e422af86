import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { createApiKey } from '../../../../testing/calls/api-keys.ts';
import { curl, isCurlInstalled } from '../../../../testing/network/curl.ts';
import { startFaultProxy } from '../../../../testing/network/fault-proxy.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';

async function start(t: TestContext) {
  const server = await startTestServer(t);
  const { key } = await createApiKey(server.context, server.userId('prem'));
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-curl-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const view = async (link: string) => {
    const token = link.trim().split('/').at(-1)!;
    return { token, ...(await server.anonymous().call(viewDownload, { params: { token } })) };
  };
  const fetchFile = async (link: string, name: string) => {
    const { token, files } = await view(link);
    const { id } = files!.find(({ relativePath }) => relativePath === name)!;
    const response = await server.anonymous().fetch(fileDownloadPath(token, id));
    return Buffer.from(await response.arrayBuffer());
  };
  return { server, folder, view, fetchFile, authorization: `Authorization: Bearer ${key}` };
}

describe('curl', { skip: isCurlInstalled ? false : 'curl is not installed' }, () => {
  test('-T sends a file and prints its share link', async (t) => {
    const { server, folder, fetchFile, authorization } = await start(t);
    const bytes = makeBytes(CHUNK_BYTES + MIB);
    await writeFile(join(folder, 'my file.bin'), bytes);
    const url = `${server.url}/api/files/`;
    const { exitCode, stdout } = await curl(['-T', 'my file.bin', '-H', authorization, url], { cwd: folder });
    assert.equal(exitCode, 0);
    assert.match(stdout, /^https?:\/\/\S+\/download\/[0-9a-z]{26}\n$/);
    assert.ok((await fetchFile(stdout, 'my file.bin')).equals(bytes));
  });

  test('-T - sends piped input', async (t) => {
    const { server, fetchFile, authorization } = await start(t);
    const input = makeBytes(CHUNK_BYTES + 9);
    const url = `${server.url}/api/files/dump.sql?days=2`;
    const { stdout } = await curl(['-T', '-', '-H', authorization, url], { input });
    assert.ok((await fetchFile(stdout, 'dump.sql')).equals(input));
  });

  test('-T {a,b,c} with a transfer name makes one transfer', async (t) => {
    const { server, folder, view, authorization } = await start(t);
    for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), name);
    const args = ['-T', '{a,b,c}', '-H', authorization, '-H', 'Sendwell-Transfer: letters'];
    const { stdout } = await curl([...args, `${server.url}/api/files/`], { cwd: folder });
    const links = stdout.trim().split('\n');
    assert.deepEqual([links.length, new Set(links).size], [3, 1]);
    const { files } = await view(links[0]!);
    assert.deepEqual(files!.map(({ originalName }) => originalName).sort(), ['a', 'b', 'c']);
  });

  test('the reason for a refusal is printed, and -f fails', async (t) => {
    const { server, folder } = await start(t);
    await writeFile(join(folder, 'a'), Buffer.alloc(3 * MIB));
    const header = 'Authorization: Bearer swk_wrong';
    const { stdout } = await curl(['-T', 'a', '-H', header, `${server.url}/api/files/a`], { cwd: folder });
    assert.equal(JSON.parse(stdout).status, 401);
    const failed = await curl(['-f', '-T', 'a', '-H', header, `${server.url}/api/files/a`], { cwd: folder });
    assert.notEqual(failed.exitCode, 0);
  });

  for (const kind of ['file', 'zip'] as const)
    test(`-C - resumes a ${kind} interrupted in the middle, which is counted once`, async (t) => {
      const { server, folder, view, authorization } = await start(t);
      const proxy = await startFaultProxy(server.url);
      t.after(() => proxy.stop());
      const args = ['-H', authorization, '-H', 'Sendwell-Transfer: both', `${server.url}/api/files/`];
      await writeFile(join(folder, 'one.bin'), makeBytes(12 * MIB, 'one'));
      await writeFile(join(folder, 'two.bin'), makeBytes(3 * MIB, 'two'));
      const { stdout } = await curl(['-T', '{one.bin,two.bin}', ...args], { cwd: folder });
      const { token, files } = await view(stdout.split('\n')[0]!);
      const path = kind === 'zip' ? zipDownloadPath(token) : fileDownloadPath(token, files![0]!.id);
      const whole = Buffer.from(await (await server.anonymous().fetch(path)).arrayBuffer());
      const count = async () => (await view(token)).downloadCount;
      const before = await count();
      proxy.decide = () => ({ kind: 'cut-answer', afterBytes: 5_000_001 });
      const get = ['-C', '-', '-o', 'got', '-b', 'jar', '-c', 'jar', proxy.endpoint + path];
      assert.notEqual((await curl(get, { cwd: folder })).exitCode, 0);
      const half = (await readFile(join(folder, 'got'))).length;
      assert.ok(half > 0 && half < whole.length, `${half} of ${whole.length} bytes`);
      proxy.decide = () => undefined;
      assert.equal((await curl(get, { cwd: folder })).exitCode, 0);
      assert.ok((await readFile(join(folder, 'got'))).equals(whole));
      assert.equal(proxy.seen.at(-1)!.range, `bytes=${half}-`);
      assert.equal(await count(), before! + 1);
    });
});
