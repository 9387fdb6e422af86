/**
 * `npm run bench:arriving`: how far a recipient is behind a sender with a limited rate, and what waiting downloads cost.
 * Results are in docs/performance.md.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chunkLength, planChunks } from '../contracts/plans/limits.ts';
import { publishTransfer } from '../contracts/transfers/arrival.ts';
import { completeUploads, initUpload } from '../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../contracts/values/addresses/links.ts';
import { GIB, MIB } from '../contracts/values/sizes.ts';
import type { Client } from '../testing/calls/client.ts';
import { prepareServerProcess, type ServerProcess } from '../testing/processes/server-process.ts';
import { makeBytes, sendChunk } from '../testing/uploads/upload-files.ts';

const { values: options } = parseArgs({
  options: {
    gib: { type: 'string', default: '0.5' },
    mbit: { type: 'string', default: '100' },
    readers: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
  },
});

const TICKS_PER_SECOND = 100;
const SETTLE_MS = 10_000;

const cleanUp: (() => unknown)[] = [];
try {
  const after = (run: unknown) => void cleanUp.push(run as () => unknown);
  const server = await prepareServerProcess({ after }, { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  await server.start();
  const sender = await server.signIn();
  await measureLag(server, sender);
  await measureWaiting(server, sender);
} finally {
  for (const each of cleanUp.toReversed()) await each();
}

async function publish(sender: Client, fileSize: number) {
  const { totalChunks } = planChunks(fileSize);
  const body = { fileName: 'arriving.bin', fileSize, totalChunks };
  const { uploadId, transferId } = await sender.call(initUpload, { body });
  const params = { id: transferId };
  const { token } = await sender.call(publishTransfer, { params, body: { expectedFiles: 1 } });
  return { uploadId, transferId, path: fileDownloadPath(token, uploadId) };
}

async function measureLag(server: ServerProcess, sender: Client): Promise<void> {
  const fileSize = Math.round(Number(options.gib) * GIB);
  const bytesPerMs = (Number(options.mbit) * 1e6) / 8 / 1_000;
  const { uploadId, transferId, path } = await publish(sender, fileSize);
  const received = receive(server.url + path);
  const { chunkSize, totalChunks } = planChunks(fileSize);
  const chunk = makeBytes(chunkSize);
  const startedAt = performance.now();
  for (let index = 0; index < totalChunks; index += 1) {
    const body = new Uint8Array(chunk.subarray(0, chunkLength(fileSize, chunkSize, index)));
    const response = await sendChunk(sender, { uploadId, index, body });
    if (!response.ok) throw new Error(`chunk ${index}: ${response.status}`);
    await response.body?.cancel();
    const dueAt = startedAt + ((index + 1) * chunkSize) / bytesPerMs;
    await sleep(Math.max(0, dueAt - performance.now()));
  }
  const sentAt = performance.now();
  await sender.call(completeUploads, { body: { transferId, uploadIds: [uploadId] } });
  const { bytes, endedAt } = await received;
  if (bytes !== fileSize) throw new Error(`received ${bytes} of ${fileSize} bytes`);
  const seconds = (sentAt - startedAt) / 1_000;
  const ratio = (endedAt - startedAt) / (sentAt - startedAt);
  console.log(
    `${(fileSize / GIB).toFixed(2)} GiB in ${seconds.toFixed(1)} s (${((fileSize * 8) / 1e6 / seconds).toFixed(0)} Mbit/s): ` +
      `the recipient ends ${((endedAt - sentAt) / 1_000).toFixed(2)} s after the sender, ${ratio.toFixed(3)} of its time`,
  );
}

function receive(url: string): Promise<{ bytes: number; endedAt: number }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      response.once('close', () => resolve({ bytes, endedAt: performance.now() })).on('error', reject);
    }).once('error', reject);
  });
}

/**
 * The downloads wait for their first byte. What the server does without them is subtracted. Garbage is collected before
 * the memory is read, because how much of it there is depends on what the server did before.
 */
async function measureWaiting(server: ServerProcess, sender: Client): Promise<void> {
  const readers = Number(options.readers);
  const { path } = await publish(sender, 40 * MIB);
  const idle = await measureCpu(server);
  await collectGarbage(server);
  const rssBefore = server.rssBytes();
  const requests = Array.from({ length: readers }, () => wait(server.url + path));
  await Promise.all(requests.map(({ begun }) => begun));
  await sleep(SETTLE_MS);
  const busy = await measureCpu(server);
  await collectGarbage(server);
  const growth = (server.rssBytes() - rssBefore) / MIB;
  for (const { end } of requests) end();
  const percent = (share: number) => (100 * share).toFixed(2);
  console.log(
    `${readers} waiting downloads: ${percent(busy - idle)} % of a core (${percent(idle)} without them), ` +
      `${growth.toFixed(0)} MiB more memory`,
  );
}

/** By the inspector protocol: https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/. */
async function collectGarbage(server: ServerProcess): Promise<void> {
  const [url] = /ws:\/\/\S+/.exec(server.output) ?? [];
  const socket = new WebSocket(url!);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
}

async function measureCpu(server: ServerProcess): Promise<number> {
  const before = cpuSeconds(server.pid);
  const startedAt = performance.now();
  await sleep(Number(options.seconds) * 1_000);
  return (cpuSeconds(server.pid) - before) / ((performance.now() - startedAt) / 1_000);
}

/** `begun` resolves when the head has arrived. */
function wait(url: string) {
  const begun = Promise.withResolvers<void>();
  const request = get(url, { agent: false }, (response) => {
    response.on('error', () => {}).resume();
    begun.resolve();
  }).once('error', begun.reject);
  return { begun: begun.promise, end: () => request.destroy() };
}

function cpuSeconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [utime, stime] = fields.split(' ').slice(11, 13).map(Number);
  return (utime! + stime!) / TICKS_PER_SECOND;
}
