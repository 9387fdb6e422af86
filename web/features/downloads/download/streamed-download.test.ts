import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { DownloadRefused, streamDownload } from './streamed-download.ts';

const BYTES = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) & 255));

type Answers = { breakAfter: number; onWhole?: () => void };

/** Answers like the product: with a strong ETag, and with ranges. */
function answerWith(etag: () => string, { breakAfter, onWhole }: Answers): RequestListener {
  return (request, response) => {
    if ((request.headers['if-match'] ?? etag()) !== etag()) {
      response.writeHead(412).end();
      return;
    }
    const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const isPart = start !== undefined && request.headers['if-range'] === etag();
    if (!isPart) onWhole?.();
    const rest = BYTES.subarray(isPart ? Number(start) : 0);
    response.writeHead(isPart ? 206 : 200, { etag: etag(), 'content-length': rest.length });
    if (rest.length <= breakAfter) response.end(rest);
    else response.write(rest.subarray(0, breakAfter), () => response.destroy());
  };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function receive(path: string, { signal, goOn }: { signal?: AbortSignal; goOn?: () => void } = {}) {
  const parts: Uint8Array[] = [];
  const told: number[] = [];
  let breaks = 0;
  await streamDownload({
    path,
    sink: { write: async (bytes) => void parts.push(bytes) },
    signal: signal ?? new AbortController().signal,
    onProgress: ({ receivedBytes }) => told.push(receivedBytes),
    waitToGoOn: async () => {
      breaks += 1;
      goOn?.();
    },
  });
  return { bytes: Buffer.concat(parts), told, breaks };
}

test('a download that breaks again and again arrives whole', async () => {
  const path = await serve(answerWith(() => '"one"', { breakAfter: 60_000 }));
  const { bytes, told, breaks } = await receive(path);
  assert.ok(bytes.equals(BYTES));
  assert.equal(breaks, 3);
  assert.equal(told.at(-1), BYTES.length);
  assert.deepEqual(
    told,
    told.toSorted((one, other) => one - other),
  );
});

test('nothing is pieced together from two versions, and no second download begins', async () => {
  let etag = '"one"';
  let begun = 0;
  const onWhole = () => {
    begun += 1;
  };
  const path = await serve(answerWith(() => etag, { breakAfter: 60_000, onWhole }));
  const changed = receive(path, {
    goOn: () => {
      etag = '"two"';
    },
  });
  await assert.rejects(changed, (error) => error instanceof DownloadRefused && error.status === 412);
  assert.equal(begun, 1);
});

test('a refusal ends it, a busy server does not', async () => {
  const statuses = [503, 429, 410];
  const path = await serve((_request, response) => response.writeHead(statuses.shift()!).end());
  await assert.rejects(receive(path), (error) => error instanceof DownloadRefused && error.status === 410);
  assert.deepEqual(statuses, []);
});

test('it ends when it is called off', async () => {
  const path = await serve(answerWith(() => '"one"', { breakAfter: 60_000 }));
  const control = new AbortController();
  const goOn = () => control.abort(new Error('enough'));
  await assert.rejects(receive(path, { signal: control.signal, goOn }), /enough/);
});
