import assert from 'node:assert/strict';
import { test } from 'vitest';
import { loadPages } from './page-loader.ts';

const PAGES = 40;
const SIZE = 1_000;

/** Pages of numbers; the cursor is the number of the page. */
async function fetchPage(cursor: string) {
  const page = Number(cursor);
  const items = Array.from({ length: SIZE }, (_, index) => page * SIZE + index);
  return { items, nextCursor: page + 1 < PAGES ? `${page + 1}` : undefined };
}

function load(fetching: typeof fetchPage, { tries = 3, signal = new AbortController().signal } = {}) {
  const seen = { batches: [] as number[][], progress: [] as number[] };
  const done = loadPages<number>({
    cursor: '0',
    fetchPage: fetching,
    retryAfter: (_error, failed) => (failed < tries ? 0 : undefined),
    onProgress: (count) => seen.progress.push(count),
    onItems: (items) => seen.batches.push(items),
    signal,
  });
  return { seen, done };
}

test('loads all pages in order and delivers them in a few growing batches', async () => {
  const { seen, done } = load(fetchPage);
  await done;
  assert.deepEqual(
    seen.batches.at(-1),
    Array.from({ length: PAGES * SIZE }, (_, index) => index),
  );
  assert.equal(seen.progress.length, PAGES);
  assert.ok(seen.batches.length <= 7, `${seen.batches.length}`);
});

test('retries a failed page a limited number of times', async () => {
  let failures = 2;
  const flaky: typeof fetchPage = async (cursor) => {
    if (cursor === '3' && failures-- > 0) throw new Error('lost');
    return fetchPage(cursor);
  };
  const healed = load(flaky);
  await healed.done;
  assert.equal(healed.seen.progress.at(-1), PAGES * SIZE);
  failures = 99;
  await assert.rejects(load(flaky).done, /lost/);
});

test('loads and delivers nothing after an abort', async () => {
  const stop = new AbortController();
  const { seen, done } = load(
    async (cursor) => {
      if (cursor === '1') stop.abort();
      return fetchPage(cursor);
    },
    { signal: stop.signal },
  );
  await assert.rejects(done, { name: 'AbortError' });
  assert.deepEqual(seen.progress, [SIZE]);
});
