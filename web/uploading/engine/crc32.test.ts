import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { test } from 'vitest';
import { crc32 } from './crc32.ts';

test('agrees with zlib for every length around the stride and any alignment', () => {
  for (let length = 0; length < 70; length += 1) {
    for (let offset = 0; offset < 5; offset += 1) {
      const bytes = new Uint8Array(new Uint8Array(randomBytes(length + offset)).buffer, offset);
      assert.equal(crc32(bytes), zlibCrc32(bytes));
    }
  }
  const large = new Uint8Array(randomBytes(1_000_003));
  assert.equal(crc32(large), zlibCrc32(large));
});
