import assert from 'node:assert/strict';
import { test } from 'vitest';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { layOutTrend } from './trends.ts';

const DAYS = [
  { date: '2026-11-20', newUsers: 0, newTransfers: 4, uploadedBytes: 30 * MIB, downloads: 2_500 },
  { date: '2026-11-21', newUsers: 0, newTransfers: 1, uploadedBytes: 45 * MIB, downloads: 10 },
];

test('bars have a day, a value and a text', () => {
  const { bars } = layOutTrend(DAYS, 'uploadedBytes');
  assert.deepEqual(bars[1], {
    name: 'Nov 21, 2026',
    shortName: 'Nov 21',
    value: 45 * MIB,
    text: '45 MB',
  });
  assert.equal(layOutTrend(DAYS, 'downloads').bars[0]!.text, '2,500');
});

test('ticks are round numbers, for sizes too', () => {
  const labels = (metric: 'newUsers' | 'uploadedBytes' | 'downloads') =>
    layOutTrend(DAYS, metric).ticks.map(({ label }) => label);
  assert.deepEqual(labels('newUsers'), ['0', '1']);
  assert.deepEqual(labels('uploadedBytes'), ['0 B', '20 MB', '40 MB', '60 MB']);
  assert.deepEqual(labels('downloads'), ['0', '1K', '2K', '3K']);
});
