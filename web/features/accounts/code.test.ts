import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCountdown, keepDigits } from './code.ts';

test('keeps the digits of what was pasted, at most six', () => {
  assert.equal(keepDigits(' 123-456 '), '123456');
  assert.equal(keepDigits('12a3'), '123');
  assert.equal(keepDigits('1234567'), '123456');
});

test('counts down in minutes and seconds', () => {
  assert.equal(formatCountdown(60), '1:00');
  assert.equal(formatCountdown(9), '0:09');
  assert.equal(formatCountdown(3599), '59:59');
});
