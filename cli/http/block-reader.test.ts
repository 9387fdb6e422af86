import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { BlockReader } from './block-reader.ts';
import { Connection } from './connection.ts';

const BODY = makeBytes(12 * MIB + 7, 'blocks');
const BODIES = [
  { name: 'with a length', headers: { 'content-length': BODY.length } },
  { name: 'of unknown length', headers: {} },
];

for (const { name, headers } of BODIES) {
  test(`a body ${name} arrives unchanged in blocks that stay valid until the next one`, async (t) => {
    const connection = await serve(t, (_request, response) => response.writeHead(200, headers).end(BODY));
    const reader = new BlockReader();
    const response = await connection.send({ method: 'GET', path: '/', reader });
    const arrived: Buffer[] = [];
    for await (const block of reader.read()) {
      // More bytes arrive meanwhile.
      await nextTurn();
      arrived.push(Buffer.from(block));
    }
    response.destroy();
    assert.ok(Buffer.concat(arrived).equals(BODY));
    assert.ok(arrived.length <= 2 * (BODY.length / MIB), `${arrived.length} blocks`);
  });

  test(`what arrives of a slow body ${name} is passed on before a block is full`, async (t) => {
    const parts = [0, 10, 100_000, 100_001, 3 * MIB, BODY.length];
    let sendNext = () => {};
    const connection = await serve(t, (_request, response) => {
      response.writeHead(200, headers);
      sendNext = () => {
        if (parts.length > 2) response.write(BODY.subarray(parts.shift(), parts[0]));
        else response.end(BODY.subarray(parts[0]));
      };
      sendNext();
    });
    const reader = new BlockReader();
    await connection.send({ method: 'GET', path: '/', reader });
    const arrived: Buffer[] = [];
    let bytes = 0;
    for await (const block of reader.read()) {
      arrived.push(Buffer.from(block));
      bytes += block.length;
      if (bytes === parts[0]) sendNext();
    }
    assert.ok(Buffer.concat(arrived).equals(BODY));
  });
}

test('a broken connection ends the body after the bytes that arrived, and the next one goes on', async (t) => {
  const cut = 5 * MIB + 123;
  let starts = 0;
  const connection = await serve(t, (_request, response) => {
    const start = starts === 0 ? 0 : cut;
    starts += 1;
    response.writeHead(200, { 'content-length': BODY.length - start });
    if (start > 0) response.end(BODY.subarray(start));
    else response.write(BODY.subarray(0, cut), () => response.destroy());
  });
  const reader = new BlockReader();
  const arrived: Buffer[] = [];
  for (const expected of [cut, BODY.length]) {
    const response = await connection.send({ method: 'GET', path: '/', reader });
    for await (const block of reader.read()) arrived.push(Buffer.from(block));
    response.destroy();
    assert.equal(Buffer.concat(arrived).length, expected);
  }
  assert.ok(Buffer.concat(arrived).equals(BODY));
});

async function serve(t: TestContext, listener: RequestListener): Promise<Connection> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new Connection(`http://127.0.0.1:${port}`);
  t.after(() => {
    connection.close();
    server.close();
    server.closeAllConnections();
  });
  return connection;
}
