import assert from 'node:assert/strict';
import { test } from 'vitest';
import { formatNextReset } from './usage-month.ts';

test('usage resets on the first of the next month', () => {
  assert.equal(formatNextReset(Date.UTC(2026, 0, 31, 23, 59)), 'February 1');
  assert.equal(formatNextReset(Date.UTC(2026, 1, 1)), 'March 1');
  assert.equal(formatNextReset(Date.UTC(2026, 11, 15)), 'January 1');
});
