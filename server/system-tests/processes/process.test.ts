import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { launch, makeFolder } from '../../../testing/processes/process-checks.ts';
import {
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from '../../../testing/processes/server-process.ts';
import { sendTransfer, sha256 } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

describe('a server process', { concurrency: 2 }, () => {
  test('refuses a DATA_DIR that another server uses, with a clear message', async (t) => {
    const first = await startServerProcess(t);
    const second = await launch(t, { DATA_DIR: first.dataDir });
    assert.equal(second.code, 1);
    assert.equal(
      second.output,
      `Another Sendwell server is already running on ${first.dataDir}. ` +
        'Stop it first, or give this one its own DATA_DIR.\n',
    );
    assert.equal((await first.anonymous().fetch('/readyz')).status, 200, 'the first one keeps running');
    assert.equal(await first.terminate(), 0);
    const successor = await prepareServerProcess(t, { DATA_DIR: first.dataDir });
    await successor.start();
  });

  test('on SIGTERM lets a slow download finish, accepts no new connections and exits with 0', async (t) => {
    const server = await startServerProcess(t);
    const bytes = makeBytes(16 * MIB);
    const { token, fileIds } = await sendTransfer(await server.signIn(), [{ fileName: 'slow.bin', bytes }]);
    const response = await openDownload(server, fileDownloadPath(token, fileIds[0]!));
    const exitCode = server.terminate();
    while (await canConnect(server.port)) await sleep(20);
    // The client reads only now, so the server still has all bytes that exceed the buffers of the system.
    const received: Buffer[] = [];
    for await (const piece of response) received.push(piece as Buffer);
    assert.equal(sha256(Buffer.concat(received)), sha256(bytes));
    assert.equal(await exitCode, 0);
    await server.start();
  });

  test('reports each mistake in its settings in one line and exits with 1', async (t) => {
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

  test(
    'refuses secret files that are missing, empty or given twice, and an ENV_FILE that is missing',
    onlyInAll,
    async (t) => {
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
    },
  );

  test('refuses a port in use in one line that names it', onlyInAll, async (t) => {
    const first = await startServerProcess(t);
    const { code, output } = await launch(t, { PORT: String(first.port) });
    assert.equal(code, 1);
    assert.match(output, /^[^\n]+\n$/);
    assert.ok(output.includes(String(first.port)), output);
  });
});

/** Downloads over a keep-alive connection, like a browser's. Nothing is read until the caller reads. */
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
