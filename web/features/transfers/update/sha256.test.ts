import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { Sha256 } from './sha256.ts';

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 2_654_435_761) >>> 24);

test('equals SHA-256 of Node for every length around the block size', () => {
  for (const length of [...Array.from({ length: 200 }, (_, index) => index), BYTES.length]) {
    const bytes = BYTES.subarray(0, length);
    assert.equal(new Sha256().update(bytes).digest(), sha256(bytes), `${length} bytes`);
  }
});

test('does not depend on how the bytes are divided', () => {
  for (const step of [1, 63, 64, 65, 1_000]) {
    const sum = new Sha256();
    for (let start = 0; start < 5_000; start += step)
      sum.update(BYTES.subarray(start, Math.min(5_000, start + step)));
    assert.equal(sum.digest(), sha256(BYTES.subarray(0, 5_000)), `in steps of ${step}`);
  }
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
