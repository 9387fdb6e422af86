import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropBytes } from './positional-io.ts';

test('continues in the middle of a buffer after a short read or write', () => {
  const buffers = ['abc', '', 'defg', 'h'].map((text) => Buffer.from(text));
  const rests = [0, 2, 3, 5, 7, 8].map((count) => dropBytes(buffers, count).map(String));
  assert.deepEqual(rests, [
    ['abc', '', 'defg', 'h'],
    ['c', '', 'defg', 'h'],
    ['defg', 'h'],
    ['fg', 'h'],
    ['h'],
    [],
  ]);
});
