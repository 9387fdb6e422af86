import assert from 'node:assert/strict';
import { test } from 'vitest';
import { formatCountdown, formatMinutes } from './countdown.ts';

const HOUR = 3_600_000;

test('shows days only when there are any', () => {
  assert.deepEqual(formatCountdown(3 * HOUR + 4 * 60_000 + 5000), { days: '', clock: '03:04:05' });
  assert.deepEqual(formatCountdown(25 * HOUR), { days: '1 day', clock: '01:00:00' });
  assert.deepEqual(formatCountdown(49 * HOUR), { days: '2 days', clock: '01:00:00' });
});

test('reaches zero only at the end and stays there', () => {
  assert.equal(formatCountdown(1).clock, '00:00:01');
  assert.equal(formatCountdown(0).clock, '00:00:00');
  assert.equal(formatCountdown(-5000).clock, '00:00:00');
});

test('counts down in minutes and seconds', () => {
  assert.equal(formatMinutes(60), '1:00');
  assert.equal(formatMinutes(9), '0:09');
  assert.equal(formatMinutes(3599), '59:59');
});
