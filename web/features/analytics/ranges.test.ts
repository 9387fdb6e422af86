import assert from 'node:assert/strict';
import { test } from 'vitest';
import { listRangeChoices, readDays, writeDays } from './ranges.ts';

const asked = (search: string, longestDays: number) => readDays(new URLSearchParams(search), longestDays);

test('the address chooses the range, and the plan limits it', () => {
  assert.equal(asked('', 90), 30);
  assert.equal(asked('days=7', 90), 7);
  assert.equal(asked('days=365', 730), 365);
  assert.equal(asked('days=365', 90), 90);
});

test('unknown ranges in the address fall back to the default', () => {
  for (const search of ['days=12', 'days=-7', 'days=seven', 'days=', 'days=7&days=9999x'])
    assert.ok([7, 30].includes(asked(search, 730)), search);
  assert.equal(asked('days=12', 730), 30);
});

test('the default range is not written into the address', () => {
  assert.equal(writeDays(30), '');
  assert.equal(writeDays(7), 'days=7');
});

test('locked ranges name the plan that includes them', () => {
  assert.deepEqual(
    listRangeChoices(90).map(({ days, tier }) => [days, tier]),
    [
      [7, undefined],
      [30, undefined],
      [90, undefined],
      [365, 'premium'],
      [730, 'premium'],
    ],
  );
  assert.ok(listRangeChoices(730).every(({ tier }) => tier === undefined));
});
