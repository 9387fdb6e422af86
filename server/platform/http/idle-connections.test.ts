import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { closeConnectionsWhenIdle } from './http-server.ts';

/** More than the system buffers between client and server. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, 7);

async function startServer(t: TestContext) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': ANSWER.length }).end(ANSWER);
  });
  closeConnectionsWhenIdle(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { server, port };
}

test('a closing server completes a response, and then ends the connection', async (t) => {
  const { server, port } = await startServer(t);
  const request = get({ port, host: '127.0.0.1', agent: new Agent({ keepAlive: true }) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const closed = new Promise((resolve) => server.close(resolve));
  let received = 0;
  for await (const piece of response) received += (piece as Buffer).length;
  assert.equal(received, ANSWER.length);
  await closed;
});

test('a closing server immediately ends idle connections and those without a request', async (t) => {
  const { server, port } = await startServer(t);
  const silent = connect(port, '127.0.0.1').resume();
  const dribbling = connect(port, '127.0.0.1').resume();
  dribbling.write('GET / HTTP/1.1\r\nhost:');
  const ends = Promise.all([once(silent, 'close'), once(dribbling, 'close')]);
  await Promise.all([once(silent, 'connect'), once(dribbling, 'connect')]);
  const kept = get({ port, host: '127.0.0.1', agent: new Agent({ keepAlive: true }) });
  const [response] = (await once(kept, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  await new Promise((resolve) => server.close(resolve));
  await ends;
});
