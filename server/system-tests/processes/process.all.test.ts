import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '../../../testing/lib/until.ts';
import { launch, makeFolder } from '../../../testing/processes/process-checks.ts';
import { runCli } from '../../../testing/processes/run-cli.ts';
import { prepareServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

describe('a server process', { concurrency: 2 }, () => {
  test('makes files in DATA_DIR accessible to its own user only, also those that earlier versions left open', async (t) => {
    const server = await startServerProcess(t);
    await sendTransfer(await server.signIn(), [{ fileName: 'a.bin', bytes: makeBytes(10) }]);
    assert.deepEqual(listOpenToOthers(server.dataDir), []);
    await server.kill();
    const [database, shard] = ['sendwell.db', `blobs/${readdirSync(join(server.dataDir, 'blobs'))[0]}`];
    chmodSync(join(server.dataDir, database!), 0o644);
    chmodSync(join(server.dataDir, shard!), 0o755);
    await server.start();
    assert.deepEqual(listOpenToOthers(server.dataDir), []);
  });

  test('reads .env in its working directory, which environment variables override', async (t) => {
    const cwd = await makeFolder(t);
    writeFileSync(join(cwd, '.env'), '# settings\nLOG_LEVEL=loud\nWORKERS=99 # too many\nPORT=none\n');
    const server = await prepareServerProcess(t, { ENV_FILE: '', LOG_LEVEL: 'warn' });
    server.cwd = cwd;
    server.launch();
    const { code, output } = await server.waitForExit();
    assert.equal(code, 1);
    assert.equal(output, 'WORKERS (in .env) must be a whole number from 1 to 64.\n');
    const file = join(cwd, '.env');
    const command = await runCli({ ...server.environment, ENV_FILE: file }, 'sweep-status');
    assert.equal(command.stderr, output.replace('.env', file), 'operator commands read it too');
  });

  test('starts its workers with .env and a secret from a file', async (t) => {
    const cwd = await makeFolder(t);
    const token = 'metrics-token-0123';
    writeFileSync(join(cwd, 'token'), `${token}\n`);
    writeFileSync(join(cwd, '.env'), `WORKERS=2\nMETRICS_TOKEN_FILE=${join(cwd, 'token')}\n`);
    const server = await prepareServerProcess(t, { ENV_FILE: '' });
    server.cwd = cwd;
    await server.start();
    const fetchMetrics = (authorization: string) =>
      server.anonymous().fetch('/metrics', { headers: { authorization } });
    // 503 until the second worker has started, too.
    await until(async () => (await fetchMetrics(`Bearer ${token}`)).status === 200);
    assert.notEqual((await fetchMetrics('Bearer another-token-0123')).status, 200);
  });

  /** The mistake, the settings, and the name that the error message must contain. */
  const contradictions: [name: string, env: Record<string, string>, named: string][] = [
    ['ADMIN_USERNAME without its password', { ADMIN_PASSWORD: '' }, 'ADMIN_PASSWORD'],
    ['one S3 key without the other', { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k' }, 'S3_SECRET_ACCESS_KEY'],
    ['S3 settings without a bucket', { S3_ENDPOINT: 'http://127.0.0.1:1' }, 'S3_BUCKET'],
    ['TRUST_PROXY that is no address', { TRUST_PROXY: 'my-proxy' }, 'TRUST_PROXY'],
    ['a negative TRUST_PROXY', { TRUST_PROXY: '-1' }, 'TRUST_PROXY'],
    ['a DATA_DIR that is a file', { DATA_DIR: import.meta.filename }, import.meta.filename],
    ['a HOST that is not ours', { HOST: '192.0.2.1' }, '192.0.2.1'],
  ];
  for (const [name, env, named] of contradictions)
    test(`refuses ${name} in one line and exits with 1`, { timeout: 120_000 }, async (t) => {
      const { code, output } = await launch(t, env);
      assert.equal(code, 1);
      assert.match(output, /^[^\n]+\n$/);
      assert.ok(output.includes(named), output);
    });
});

function listOpenToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // Decoders that run as another user read files in this folder, whose parent is closed to others.
  const isDecoders = (path: string) => path.startsWith(`rendering${sep}`);
  return paths
    .filter((path) => !isDecoders(path))
    .filter((path) => (statSync(join(folder, path)).mode & 0o077) !== 0);
}
