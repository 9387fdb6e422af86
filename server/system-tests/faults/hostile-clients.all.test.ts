import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIB } from '../../../contracts/values/sizes.ts';
import { RawConnection } from '../../../testing/network/raw-connection.ts';
import { startServerProcess } from '../../../testing/processes/server-process.ts';
import { makeBytes, uploadFile } from '../../../testing/uploads/upload-files.ts';

test('60 clients that send headers slowly are disconnected, and with 200 idle connections others are still served', async (t) => {
  const server = await startServerProcess(t);
  const client = await server.signIn();
  const idle = Array.from({ length: 200 }, () => connect({ port: server.port, host: '127.0.0.1' }));
  t.after(() => idle.forEach((socket: Socket) => void socket.destroy()));
  const dribblers = Array.from({ length: 60 }, () => new RawConnection(server.port));
  await Promise.all(dribblers.map((each) => each.write('GET /api/tier-config HTTP/1.1\r\nhost: x\r\n')));
  let areOpen = true;
  const dribbling = (async () => {
    for (let line = 0; areOpen; line += 1) {
      await Promise.all(dribblers.map((each) => each.write(`x-${line}: y\r\n`)));
      await sleep(500);
    }
  })();
  const bytes = makeBytes(6 * MIB);
  const { transfer } = await uploadFile(client, 'meanwhile.bin', bytes);
  assert.ok(transfer.id);
  for (let count = 0; count < 20; count += 1)
    assert.equal((await server.anonymous().fetch('/readyz')).status, 200);
  await Promise.all(dribblers.map((each) => each.closed));
  areOpen = false;
  await dribbling;
});
