import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readUnsentBytes } from './stall-watch.ts';

for (const host of ['127.0.0.1', '::']) {
  test(`what a client at ${host} has not taken yet is seen, and that it is taken`, {
    timeout: 20_000,
  }, async (t) => {
    if (!existsSync('/proc/self/net/tcp6')) return t.skip('this system does not tell');
    const server = createServer();
    await once(server.listen(0, host), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    socket.write(Buffer.alloc(32 * 1024 * 1024));
    let unsent = await readUnsentBytes(socket);
    for (; !unsent; unsent = await readUnsentBytes(socket)) await sleep(5);
    client.resume();
    for (; unsent !== 0 || socket.writableLength > 0; unsent = await readUnsentBytes(socket)) await sleep(5);
    client.destroy();
    socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
}

test('a connection that is not there has nothing unsent', async (t) => {
  if (!existsSync('/proc/self/net/tcp')) return t.skip('this system does not tell');
  assert.equal(await readUnsentBytes({ localPort: 0, remotePort: 0, remoteFamily: 'IPv4' }), 0);
});
