import assert from 'node:assert/strict';
import { test } from 'vitest';
import { keepDigits } from './code.ts';

test('Verify e-mail: keeps the digits of what was typed or pasted, at most six', () => {
  assert.equal(keepDigits(' 123-456 '), '123456');
  assert.equal(keepDigits('12a3'), '123');
  assert.equal(keepDigits('1234567'), '123456');
});
