import assert from 'node:assert/strict';
import { onTestFinished, test, vi } from 'vitest';
import { SaveError } from '../failures.ts';
import { Pace } from './pace.ts';
import { type Claim, RangeSource, type WaitsFor } from './range-source.ts';

const BYTES = Uint8Array.from({ length: 100 }, (_, index) => index);

type Answer = (start: number, end: number) => Response | Promise<Response>;

const whole: Answer = (start, end) =>
  new Response(BYTES.slice(start, end), {
    status: 206,
    headers: { 'content-range': `bytes ${start}-${end - 1}/100`, etag: '"v1"' },
  });

/** Ends after some bytes as if the connection was cut. Only a stream of type "bytes" can be read into given memory. */
const cutAfter =
  (count: number, type?: 'bytes'): Answer =>
  (start, end) =>
    new Response(
      new ReadableStream({
        type: type as undefined,
        start: (controller) => controller.enqueue(BYTES.slice(start, Math.min(start + count, end))),
        pull: (controller) => controller.error(new TypeError('cut')),
      }),
      { status: 206, headers: { 'content-range': `bytes ${start}-${end - 1}/100`, etag: '"v1"' } },
    );

async function fetchRange(source: RangeSource, start: number, end: number) {
  const bytes = new Uint8Array(end - start);
  await source.fetch(start, end, bytes);
  return bytes;
}

function makeSource(answers: Answer[], claim?: Claim) {
  vi.useFakeTimers();
  vi.setTimerTickMode('nextTimerAsync');
  onTestFinished(() => void vi.useRealTimers());
  const requests: string[] = [];
  const claims: Claim[] = [];
  const waiting: (WaitsFor | undefined)[] = [];
  const source = new RangeSource({
    url: 'https://files.example/all',
    sizeBytes: 100,
    pace: new Pace(),
    claim,
    isArriving: false,
    onClaim: (made) => claims.push(made),
    onBytes: () => {},
    onWaiting: (waitsFor) => waiting.push(waitsFor),
    fetch: async (_url, init) => {
      const headers = new Headers(init?.headers);
      const [start = 0, last = 0] = (headers.get('range') ?? '')
        .slice('bytes='.length)
        .split('-')
        .map(Number);
      requests.push(`${start}-${last} ${headers.get('if-match') ?? ''}`.trim());
      return (answers.shift() ?? whole)(start, last + 1);
    },
  });
  return { source, requests, claims, waiting };
}

test('one byte claims the download, and the first range continues after it', async () => {
  const { source, requests, claims } = makeSource([]);
  const [first, second] = await Promise.all([fetchRange(source, 0, 40), fetchRange(source, 40, 100)]);
  assert.deepEqual([...first, ...second], [...BYTES]);
  assert.deepEqual(requests, ['0-0', '1-39 "v1"', '40-99 "v1"']);
  assert.deepEqual(claims, [{ etag: '"v1"', firstByte: 0 }]);
});

test('cut connections continue where they stopped', async () => {
  const unreachable: Answer = () => Promise.reject(new TypeError('offline'));
  const { source, requests } = makeSource([whole, cutAfter(10), unreachable, cutAfter(5, 'bytes')]);
  assert.deepEqual(await fetchRange(source, 20, 60), BYTES.slice(20, 60));
  assert.deepEqual(requests, ['0-0', '20-59 "v1"', '30-59 "v1"', '30-59 "v1"', '35-59 "v1"']);
});

test('a download that waits for its sender asks again soon, however often', async () => {
  const arriving: Answer = () =>
    Response.json({ code: 'file_arriving', detail: 'This file is still arriving.' }, { status: 503 });
  const waits = Array.from({ length: 8 }, () => arriving);
  const { source, waiting } = makeSource([...waits, whole, cutAfter(10), ...waits]);
  const startedAt = Date.now();
  assert.deepEqual(await fetchRange(source, 20, 60), BYTES.slice(20, 60));
  assert.deepEqual(waiting, ['sender', undefined, 'network', 'sender', undefined]);
  assert.ok(Date.now() - startedAt < 30_000, 'pauses do not grow');
});

test('an earlier claim is confirmed by one byte, so that several requests do not count', async () => {
  const { source, requests } = makeSource([], { etag: '"v1"', firstByte: 0 });
  await Promise.all([fetchRange(source, 20, 40), fetchRange(source, 40, 60)]);
  assert.deepEqual(requests, ['1-1 "v1"', '20-39 "v1"', '40-59 "v1"']);
});

test('a used-up limit is final, unless an own attempt may still be counted', async () => {
  const usedUp: Answer = () => new Response('All used', { status: 410 });
  const first = makeSource([usedUp]);
  await assert.rejects(
    first.source.claim(),
    (error) => error instanceof SaveError && error.failure.kind === 'refused',
  );
  const lost: Answer = () => Promise.reject(new TypeError('lost'));
  const second = makeSource([lost, usedUp, whole]);
  await second.source.claim();
  assert.deepEqual(second.requests, ['0-0', '0-0', '0-0']);
});

test('a changed download ends, whatever tells it', async () => {
  const changed: Answer[] = [
    () => new Response(null, { status: 412 }),
    () => new Response(BYTES, { status: 200 }),
    (start, end) =>
      new Response(BYTES.slice(start, end), {
        status: 206,
        headers: { 'content-range': `bytes ${start}-${end - 1}/101` },
      }),
  ];
  for (const answer of changed) {
    const { source } = makeSource([whole, answer]);
    await assert.rejects(
      fetchRange(source, 20, 60),
      (error) => error instanceof SaveError && error.failure.kind === 'changed',
    );
  }
});
