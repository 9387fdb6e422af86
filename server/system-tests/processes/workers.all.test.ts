import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '../../../testing/lib/until.ts';
import { listWorkers } from '../../../testing/processes/peers.ts';
import { prepareServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';

const TWO = { WORKERS: '2' };

describe('a server of two workers', () => {
  test('that is killed leaves no worker running on its folder', async (t) => {
    const server = await startServerProcess(t, TWO);
    const workers = listWorkers(server);
    await server.kill();
    await until(async () => workers.every((pid) => !isAlive(pid)));
    await server.start();
    assert.equal((await server.anonymous().fetch('/readyz')).status, 200);
  });

  test('refuses a port or folder in use in one line', async (t) => {
    const first = await startServerProcess(t, TWO);
    for (const [env, named] of [
      [{ PORT: String(first.port) }, String(first.port)],
      [{ DATA_DIR: first.dataDir }, first.dataDir],
    ] as const) {
      const second = await prepareServerProcess(t, { ...TWO, ...env });
      second.launch();
      const { code, output } = await second.waitForExit();
      assert.equal(code, 1);
      assert.match(output, /^[^\n]+\n$/);
      assert.ok(output.includes(named), output);
    }
    assert.equal((await first.anonymous().fetch('/readyz')).status, 200, 'the first one goes on');
  });

  test('exits with a message when a worker can never start again', async (t) => {
    const server = await startServerProcess(t, { ...TWO, LOG_LEVEL: 'info' });
    // A worker that is still starting would refuse the damaged file first. Each worker says that it is ready, too.
    await until(async () => server.output.includes('"workers":2'));
    const [pid] = listWorkers(server);
    writeFileSync(join(server.dataDir, 'leases.db'), randomBytes(64 * 1024));
    process.kill(pid!, 'SIGKILL');
    const { code, output } = await server.waitForExit();
    assert.equal(code, 1);
    assert.match(output, /\nA worker has ended 6 times right after its start, so Sendwell stops: [^\n]+\n/);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
