import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { isAppError } from '../../lib/app-error.ts';
import { type ArrivingReader, SILENT_MS, sendArrivingBlocks } from './send-arriving-blocks.ts';

const LENGTH = 10;

/** `outcome` resolves with the error of sending, if there was one. */
async function serve(t: TestContext, reader: ArrivingReader, canResume: boolean) {
  let reports = 0;
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const server = createServer((_request, response) => {
    const writeHead = () => void response.writeHead(200, { 'content-length': LENGTH });
    const onProgress = () => {
      reports += 1;
    };
    const sending = {
      response,
      reader,
      lengthBytes: LENGTH,
      stallMs: 60_000,
      writeHead,
      onProgress,
      canResume,
    };
    sendArrivingBlocks(sending).then(() => ended.resolve(undefined), ended.resolve);
    begun.resolve();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    client.destroy();
    server.close();
  });
  let text = '';
  client.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await begun.promise;
  return {
    client,
    outcome: ended.promise,
    closed: once(client, 'close'),
    text: () => text,
    reports: () => reports,
  };
}

/** Has the first `stored` bytes; for the others it waits. */
function readerWith(stored: number) {
  let position = 0;
  const waiting = Promise.withResolvers<void>();
  const reader: ArrivingReader = {
    available: async (signal) => {
      if (position < stored) return stored - position;
      waiting.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    fill: async (buffer) => {
      buffer.fill('x');
      position += buffer.length;
    },
    close: async () => undefined,
  };
  return { reader, waiting: waiting.promise };
}

test('a silent response to a client that can resume is broken off before a proxy does it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { reader, waiting } = readerWith(4);
  const { outcome, closed, text } = await serve(t, reader, true);
  await waiting;
  t.mock.timers.tick(SILENT_MS);
  assert.equal(await outcome, undefined);
  await closed;
  assert.match(text(), /content-length: 10\r\n/i);
  assert.ok(text().endsWith('xxxx'), 'it got what there was, and no end that looks whole');
});

test('a client that can resume is asked to come back if nothing was sent', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { reader, waiting } = readerWith(0);
  const { outcome } = await serve(t, reader, true);
  await waiting;
  t.mock.timers.tick(SILENT_MS);
  assert.ok(isAppError(await outcome, 'file_arriving'));
});

test('another client waits as long as it likes, and stops waiting when it leaves', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { reader, waiting } = readerWith(0);
  const { client, outcome, text, reports } = await serve(t, reader, false);
  await waiting;
  t.mock.timers.tick(60 * 60_000);
  if (!text().includes('200 OK')) await once(client, 'data');
  assert.match(text(), /200 OK/, 'it has got the head');
  assert.ok(reports() >= 60, 'it is reported as running, so that it does not lose its place');
  client.destroy();
  assert.equal(await outcome, undefined);
});
