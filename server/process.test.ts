import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileDownloadPath } from '../contracts/links.ts';
import { MIB } from '../contracts/sizes.ts';
import { runCli } from './testing/run-cli.ts';
import { sendTransfer, sha256 } from './testing/send-transfer.ts';
import {
  type Exit,
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from './testing/server-process.ts';
import { makeBytes } from './testing/upload-files.ts';

describe('a server process', { concurrency: 2 }, () => {
  test('refuses a DATA_DIR that another server has, in one clear sentence', async (t) => {
    const first = await startServerProcess(t);
    const second = await launch(t, { DATA_DIR: first.dataDir });
    assert.equal(second.code, 1);
    assert.equal(
      second.output,
      `Another Sendwell server is already running on ${first.dataDir}. ` +
        'Stop it first, or give this one its own DATA_DIR.\n',
    );
    assert.equal((await first.anonymous().fetch('/readyz')).status, 200, 'the first one goes on');
    assert.equal(await first.terminate(), 0);
    const heir = await prepareServerProcess(t, { DATA_DIR: first.dataDir });
    await heir.start();
  });

  test('keeps what is in DATA_DIR to its own user, and repairs what earlier versions left open', async (t) => {
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

  test('ended by SIGTERM lets a slow download finish, takes no new callers, and exits with 0', async (t) => {
    const server = await startServerProcess(t);
    const bytes = makeBytes(16 * MIB);
    const { token, fileIds } = await sendTransfer(await server.signIn(), [{ fileName: 'slow.bin', bytes }]);
    const response = await openDownload(server, fileDownloadPath(token, fileIds[0]!));
    const exitCode = server.terminate();
    while (await canConnect(server.port)) await sleep(20);
    // More than the system buffers on the way is still with the server: only now it can send it.
    const received: Buffer[] = [];
    for await (const piece of response) received.push(piece as Buffer);
    assert.equal(sha256(Buffer.concat(received)), sha256(bytes));
    assert.equal(await exitCode, 0);
    await server.start();
  });

  test('tells each mistake in its settings in one line of its own and exits with 1', async (t) => {
    const mistakes = {
      PORT: '70000',
      PUBLIC_URL: 'ftp://example.org',
      DATABASE_URL: 'mysql://localhost/x',
      S3_PREFIX: '../up',
      S3_ENDPOINT: 'nowhere',
      S3_FORCE_PATH_STYLE: 'perhaps',
      SMTP_URL: 'http://localhost',
      SESSION_SECRET: 'too short',
      ADMIN_USERNAME: 'a b',
      ADMIN_EMAIL: 'nobody',
      ADMIN_PASSWORD: '12345',
      RATE_LIMIT: 'sometimes',
      WORKERS: 'many',
      LOG_LEVEL: 'loud',
    };
    const { code, output } = await launch(t, mistakes);
    assert.equal(code, 1);
    const lines = output.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => line.split(' ', 1)[0]),
      Object.keys(mistakes),
    );
    for (const line of lines) assert.match(line, /^\w+ .+\.$/);
  });

  test('reads .env in its working directory; variables of the environment win', async (t) => {
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
    assert.equal(command.stderr, output.replace('.env', file), 'operator commands read it as well');
  });

  test('starts its workers with .env and a secret from a file', async (t) => {
    const cwd = await makeFolder(t);
    const token = 'metrics-token-0123';
    writeFileSync(join(cwd, 'token'), `${token}\n`);
    writeFileSync(join(cwd, '.env'), `WORKERS=2\nMETRICS_TOKEN_FILE=${join(cwd, 'token')}\n`);
    const server = await prepareServerProcess(t, { ENV_FILE: '' });
    server.cwd = cwd;
    await server.start();
    const askMetrics = (authorization: string) =>
      server.anonymous().fetch('/metrics', { headers: { authorization } });
    assert.equal((await askMetrics(`Bearer ${token}`)).status, 200);
    assert.notEqual((await askMetrics('Bearer another-token-0123')).status, 200);
  });

  test('refuses secret files that are missing, empty or given twice, and an ENV_FILE that is missing', async (t) => {
    const cwd = await makeFolder(t);
    writeFileSync(join(cwd, 'empty'), '\n');
    const secrets = {
      S3_SECRET_ACCESS_KEY_FILE: join(cwd, 'missing'),
      SMTP_URL_FILE: join(cwd, 'empty'),
      ADMIN_PASSWORD_FILE: join(cwd, 'empty'),
    };
    assert.deepEqual(await launch(t, secrets), {
      code: 1,
      signal: null,
      output: [
        `S3_SECRET_ACCESS_KEY_FILE: ${cwd}/missing cannot be read (ENOENT).`,
        `SMTP_URL_FILE: ${cwd}/empty is empty.`,
        'ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set: remove one.\n',
      ].join('\n'),
    });
    const { output } = await launch(t, { ENV_FILE: join(cwd, 'missing') });
    assert.equal(output, `ENV_FILE: ${cwd}/missing cannot be read (ENOENT).\n`);
  });

  /** What is wrong, the settings, and what the line must name. */
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

  test('refuses a port that is taken in one line that names it', async (t) => {
    const first = await startServerProcess(t);
    const { code, output } = await launch(t, { PORT: String(first.port) });
    assert.equal(code, 1);
    assert.match(output, /^[^\n]+\n$/);
    assert.ok(output.includes(String(first.port)), output);
  });
});

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-env-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Paths below the folder that group or others may use. */
function listOpenToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => (statSync(join(folder, path)).mode & 0o077) !== 0);
}

/** Runs a server that is expected to end by itself. */
async function launch(t: TestContext, env: Record<string, string>): Promise<Exit> {
  const server = await prepareServerProcess(t, env);
  server.launch();
  return server.waitForExit();
}

/** Over a connection that the client would keep, like a browser's; nothing is read before it is asked for. */
function openDownload({ url }: ServerProcess, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent: new Agent({ keepAlive: true }) }, resolve).once('error', reject);
  });
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
