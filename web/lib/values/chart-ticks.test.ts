import assert from 'node:assert/strict';
import { test } from 'vitest';
import { listTicks } from './chart-ticks.ts';

test('chart lines are round whole numbers that cover the maximum', () => {
  assert.deepEqual(listTicks(0), [0, 1]);
  assert.deepEqual(listTicks(1), [0, 1]);
  assert.deepEqual(listTicks(3), [0, 1, 2, 3]);
  assert.deepEqual(listTicks(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(listTicks(1000), [0, 500, 1000]);
  for (const highest of [9, 17, 99, 101, 4321, 999_999]) {
    const ticks = listTicks(highest);
    assert.ok(ticks.at(-1)! >= highest && ticks.length <= 5, String(highest));
  }
});

test('a low chart has fewer lines', () => {
  assert.deepEqual(listTicks(7, 2), [0, 5, 10]);
});
