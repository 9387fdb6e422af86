import assert from 'node:assert/strict';
import { test } from 'vitest';
import { listLevels, SHADES, shadeOf } from './country-levels.ts';

test('few counts get a shade each, the highest the strongest', () => {
  assert.deepEqual(listLevels(0), []);
  assert.deepEqual(listLevels(1), [{ from: 1, to: 1, shade: 5 }]);
  assert.deepEqual(
    listLevels(3).map(({ from, to, shade }) => [from, to, shade]),
    [
      [1, 1, 3],
      [2, 2, 4],
      [3, 3, 5],
    ],
  );
});

test('many counts are grouped by ratio, at round numbers', () => {
  assert.deepEqual(
    listLevels(1000).map(({ from, to }) => [from, to]),
    [
      [1, 1],
      [2, 9],
      [10, 49],
      [50, 199],
      [200, 1000],
    ],
  );
});

test('levels follow one another without a gap up to the highest', () => {
  for (let highest = 1; highest < 3000; highest += 7) {
    const levels = listLevels(highest);
    assert.ok(levels.length <= SHADES);
    assert.equal(levels[0]!.from, 1);
    assert.equal(levels.at(-1)!.to, highest);
    assert.deepEqual(
      levels.slice(1).map(({ from }) => from - 1),
      levels.slice(0, -1).map(({ to }) => to),
    );
    assert.ok(levels.every(({ from, to }) => to >= from));
    assert.equal(shadeOf(highest, levels), SHADES);
  }
});

test('zero has no shade', () => {
  assert.equal(shadeOf(0, listLevels(10)), 0);
});
