import assert from 'node:assert/strict';
import { test } from 'vitest';
import { bucketDays, chooseStep } from './timeline.ts';

test('chooses the finest step whose bars stay distinguishable', () => {
  assert.deepEqual(
    [
      [30, 320],
      [90, 900],
      [90, 320],
      [365, 900],
      [365, 320],
      [730, 900],
      [730, 320],
    ].map(([days, width]) => chooseStep(days!, width!)),
    ['day', 'day', 'week', 'week', 'month', 'week', 'month'],
  );
});

test('weeks begin on Monday and may be cut by the range; no count is lost', () => {
  // 2026-11-15 is a Sunday.
  const days = ['14', '15', '16', '17'].map((day) => ({ date: `2026-11-${day}`, views: 2, downloads: 1 }));
  assert.deepEqual(bucketDays(days, 'week'), [
    { from: '2026-11-14', to: '2026-11-15', views: 4, downloads: 2 },
    { from: '2026-11-16', to: '2026-11-17', views: 4, downloads: 2 },
  ]);
});

test('months begin on the first, across years too', () => {
  const days = ['2026-12-31', '2027-01-01', '2027-01-02'].map((date) => ({ date, views: 1, downloads: 0 }));
  assert.deepEqual(
    bucketDays(days, 'month').map(({ from, to, views }) => [from, to, views]),
    [
      ['2026-12-31', '2026-12-31', 1],
      ['2027-01-01', '2027-01-02', 2],
    ],
  );
});
