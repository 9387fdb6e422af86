import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCountdown } from './relative-time.ts';

test('counts down in minutes and seconds', () => {
  assert.equal(formatCountdown(60), '1:00');
  assert.equal(formatCountdown(9), '0:09');
  assert.equal(formatCountdown(3599), '59:59');
});
