import assert from 'node:assert/strict';
import test from 'node:test';
import { listDays, splitByMonth } from './day-range.ts';

test('a range splits into whole months and the remaining days', () => {
  const { months, rest } = splitByMonth({ from: '2024-01-30', to: '2024-04-02' });
  assert.deepEqual(months, ['2024-02', '2024-03']);
  assert.deepEqual(rest, ['2024-01-30', '2024-01-31', '2024-04-01', '2024-04-02']);
});

test('a month is complete from its first day to its last, also in a leap year', () => {
  assert.deepEqual(splitByMonth({ from: '2024-02-01', to: '2024-02-29' }), { months: ['2024-02'], rest: [] });
  assert.deepEqual(splitByMonth({ from: '2024-02-01', to: '2024-02-28' }).months, []);
  assert.deepEqual(splitByMonth({ from: '2024-02-02', to: '2024-02-29' }).months, []);
});

test('two years are at most 24 months and 60 single days', () => {
  const range = { from: '2024-11-22', to: '2026-11-21' };
  assert.equal(listDays(range).length, 730);
  const { months, rest } = splitByMonth(range);
  assert.deepEqual([months.length, rest.length], [23, 30]);
});
