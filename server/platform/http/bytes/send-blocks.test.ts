import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteReader } from '../../lib/byte-source.ts';
import { readUnsentBytes, type SendProgress, sendBlocks } from './send-blocks.ts';

const LENGTH = 256 * 1024 * 1024;

/** `done` resolves with the number of bytes that the system accepted. */
async function serveOnce(reader: ByteReader, stallMs: number) {
  const { promise: done, resolve } = Promise.withResolvers<number>();
  const server = createHttpServer(async (_request, response) => {
    let sent = 0;
    const writeHead = () => void response.writeHead(200, { 'content-length': LENGTH });
    const onProgress = ({ sentBytes }: SendProgress) => {
      sent = sentBytes;
    };
    await sendBlocks({ response, reader, lengthBytes: LENGTH, stallMs, writeHead, onProgress });
    resolve(sent);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const close = async () => {
    client.destroy();
    await new Promise((closed) => server.close(closed));
  };
  return { client, done, close };
}

const zeros: ByteReader = { fill: async () => undefined, close: async () => undefined };

test('a client that accepts no bytes is disconnected', { timeout: 20_000 }, async () => {
  const { client, done, close } = await serveOnce(zeros, 200);
  client.pause();
  assert.ok((await done) < LENGTH);
  await close();
});

test('a buffer is not reused before all of it has been written', { timeout: 60_000 }, async () => {
  let next = 0;
  const counting: ByteReader = {
    async fill(block) {
      next += 1;
      block.fill(next % 251);
    },
    close: async () => undefined,
  };
  const { client, done, close } = await serveOnce(counting, 30_000);
  let received = 0;
  let headLeft = true;
  let last = 1;
  for await (const chunk of client as AsyncIterable<Buffer>) {
    const body = headLeft ? chunk.subarray(chunk.indexOf('\r\n\r\n') + 4) : chunk;
    headLeft = false;
    received += body.length;
    for (let at = 0; at < body.length; at += 4096) {
      const value = body[at]!;
      assert.ok(value === last || value === (last + 1) % 251, `${value} after ${last}`);
      last = value;
    }
    if (received === LENGTH) break;
  }
  assert.equal(await done, LENGTH);
  await close();
});

test('blocks are large while few downloads run and small while many run', { timeout: 20_000 }, async () => {
  const sizes: number[] = [];
  const recording: ByteReader = {
    fill: async (block) => void sizes.push(block.length),
    close: async () => undefined,
  };
  const download = async () => {
    sizes.length = 0;
    const { client, done, close } = await serveOnce(recording, 30_000);
    client.resume();
    await done;
    await close();
    return { first: sizes[0], largest: Math.max(...sizes) };
  };
  assert.deepEqual(await download(), { first: 256 * 1024, largest: 1024 * 1024 });
  const stalled = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const { promise: started, resolve } = Promise.withResolvers<void>();
      const server = await serveOnce({ fill: async () => resolve(), close: async () => undefined }, 30_000);
      server.client.pause();
      await started;
      return server;
    }),
  );
  assert.deepEqual(await download(), { first: 256 * 1024, largest: 256 * 1024 });
  for (const { close, done } of stalled) {
    await close();
    await done;
  }
});

for (const host of ['127.0.0.1', '::']) {
  test(`the bytes that a client at ${host} has not received are counted until it receives them`, {
    timeout: 20_000,
  }, async (t) => {
    if (!existsSync('/proc/self/net/tcp6')) return t.skip('this system does not report unsent bytes');
    const server = createTcpServer();
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

test('an unknown connection has no unsent bytes', async (t) => {
  if (!existsSync('/proc/self/net/tcp')) return t.skip('this system does not report unsent bytes');
  assert.equal(await readUnsentBytes({ localPort: 0, remotePort: 0, remoteFamily: 'IPv4' }), 0);
});
