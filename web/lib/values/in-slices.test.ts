import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runAtOnce, runInSlices, sortInSteps } from './in-slices.ts';

test('sorting in steps equals a stable sort', () => {
  const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 50 }), place: fc.nat() }), {
    maxLength: 5_000,
    size: 'max',
  });
  const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
  fc.assert(
    fc.property(items, (list) => {
      assert.deepEqual(runAtOnce(sortInSteps(list, compare)), list.toSorted(compare));
    }),
    { numRuns: 30 },
  );
});

test('others run between the slices, and an abort ends the work', async () => {
  const stop = new AbortController();
  const endless = (function* (): Generator<void, never> {
    for (;;) yield;
  })();
  setTimeout(() => stop.abort());
  await assert.rejects(runInSlices(endless, stop.signal), { name: 'AbortError' });
});
