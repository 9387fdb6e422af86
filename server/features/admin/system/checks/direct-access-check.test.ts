import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { readConfig } from '../../../../config.ts';
import { checkDirectAccess } from './direct-access-check.ts';

/** Runs the check against a server at 127.0.0.1, which plays an address of the machine's network. */
async function runCheckFor(t: TestContext, trustProxy: string, ownAddresses = ['127.0.0.1']) {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const config = { ...readConfig({ TRUST_PROXY: trustProxy }), port };
  return { port, finding: await checkDirectAccess(config, () => ownAddresses).run() };
}

test('a port that can be reached without the proxy is detected by a request to it', async (t) => {
  for (const trustProxy of ['1', '0.0.0.0/0']) {
    const { port, finding } = await runCheckFor(t, trustProxy);
    assert.equal(finding.state, 'warning');
    assert.ok(finding.found.includes(`http://127.0.0.1:${port} `), finding.found);
    assert.match(finding.fix!, /HOST=127\.0\.0\.1/);
  }
});

test('the check passes if the port is unreachable or proxies are trusted by address', async (t) => {
  const states = [
    await runCheckFor(t, '1', []),
    await runCheckFor(t, '1', ['127.0.0.2']),
    await runCheckFor(t, 'off'),
    await runCheckFor(t, '10.0.0.0/8'),
  ].map(({ finding }) => finding.state);
  assert.deepEqual(states, ['ok', 'ok', 'ok', 'ok']);
});
