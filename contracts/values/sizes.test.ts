import assert from 'node:assert/strict';
import test from 'node:test';
import { formatSize, GIB, KIB, MIB, parseSize, TIB } from './sizes.ts';

test('sizes are formatted in B, KB, MB and GB with base 1024 and at most one decimal', () => {
  const shown = [0, 1, 1023, KIB, 1536, MIB, 5 * GIB, 2.25 * GIB, 3 * TIB].map(formatSize);
  assert.deepEqual(shown, ['0 B', '1 B', '1023 B', '1 KB', '1.5 KB', '1 MB', '5 GB', '2.3 GB', '3072 GB']);
});

test('a rounded size never shows 1024 of a unit', () => {
  assert.equal(formatSize(MIB - 1), '1 MB');
  assert.equal(formatSize(GIB - 1), '1 GB');
});

test('size text is parsed with base 1024', () => {
  assert.deepEqual(['5GB', '2000MB', '1024KB', '1 tb', '0.5 GB', '7B'].map(parseSize), [
    5 * GIB,
    2000 * MIB,
    MIB,
    TIB,
    GIB / 2,
    7,
  ]);
});

test('other texts are refused with a fixed message', () => {
  for (const text of ['', '5', 'GB', '5 GiB', '-5GB', '1e3MB', '5GB!', '99999999999TB'])
    assert.throws(() => parseSize(text), { message: 'Invalid byte string format' });
});
