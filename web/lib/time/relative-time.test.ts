import assert from 'node:assert/strict';
import { test } from 'vitest';
import { formatRelativeTime, relativeTimePause } from './relative-time.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('rounds to the nearest whole unit, in the future and the past', () => {
  assert.equal(formatRelativeTime(NOW + 3 * DAY, NOW), 'in 3 days');
  assert.equal(formatRelativeTime(NOW - 5 * HOUR, NOW), '5 hours ago');
  assert.equal(formatRelativeTime(NOW + 120 * DAY, NOW), 'in 4 months');
  assert.equal(formatRelativeTime(NOW - 400 * DAY, NOW), '1 year ago');
});

test('a transfer made for three days still reads three days a few seconds later', () => {
  assert.equal(formatRelativeTime(NOW + 3 * DAY - 4000, NOW), 'in 3 days');
});

test('formats the longest retention in days', () => {
  assert.equal(formatRelativeTime(NOW + 90 * DAY - 1000, NOW), 'in 90 days');
});

test('has special texts for less than a minute', () => {
  assert.equal(formatRelativeTime(NOW + 20_000, NOW), 'in less than a minute');
  assert.equal(formatRelativeTime(NOW - 20_000, NOW), 'just now');
});

test('updates more often near the instant', () => {
  const pauses = [30_000, 10 * HOUR, 9 * DAY].map((distance) => relativeTimePause(NOW + distance, NOW));
  assert.deepEqual(pauses, [1000, 30_000, HOUR]);
});
