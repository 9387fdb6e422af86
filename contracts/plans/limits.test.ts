import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { GIB, MIB, TIB } from '../values/sizes.ts';
import {
  CHUNK_BYTES,
  chunkLength,
  clampExpirationDays,
  fitsMonth,
  fitsTransfer,
  MAX_CHUNKS,
  MAX_FILE_BYTES,
  planChunks,
} from './limits.ts';

test('all chunks but the last are full, and their sum is the file size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_FILE_BYTES }), (sizeBytes) => {
      const { chunkSize, totalChunks } = planChunks(sizeBytes);
      assert.equal(chunkSize % CHUNK_BYTES, 0);
      assert.ok(totalChunks <= MAX_CHUNKS);
      if (sizeBytes === 0) return assert.equal(totalChunks, 0);
      const last = chunkLength(sizeBytes, chunkSize, totalChunks - 1);
      assert.ok(last > 0 && last <= chunkSize);
      assert.equal((totalChunks - 1) * chunkSize + last, sizeBytes);
    }),
  );
});

test('a file keeps 5 MiB chunks up to exactly 9,000 of them', () => {
  assert.deepEqual(planChunks(CHUNK_BYTES * MAX_CHUNKS), { chunkSize: CHUNK_BYTES, totalChunks: MAX_CHUNKS });
  assert.equal(planChunks(CHUNK_BYTES * MAX_CHUNKS + 1).chunkSize, 2 * CHUNK_BYTES);
});

test('a limit may be reached exactly but not exceeded by one byte', () => {
  assert.ok(fitsTransfer(4, 6, 10) && !fitsTransfer(5, 6, 10));
  assert.ok(fitsMonth(4, 6, 10) && !fitsMonth(5, 6, 10));
});

test('numbers of days below 1 or above the retention are ignored', () => {
  const wishes = [undefined, 0, 1, 30, 31, 1.5, -1, Number.NaN];
  assert.deepEqual(
    wishes.map((wish) => clampExpirationDays(wish, 30)),
    [30, 30, 1, 30, 30, 30, 30, 30],
  );
  assert.equal(clampExpirationDays(undefined, 365), 90);
});

test('files of up to 5 TiB have chunks no smaller, larger or more numerous than S3 allows', () => {
  const edges = [CHUNK_BYTES * MAX_CHUNKS, 50 * GIB, TIB, 5 * TIB].flatMap((size) => [
    size - 1,
    size,
    size + 1,
  ]);
  const size = fc.oneof(fc.integer({ min: 1, max: 5 * TIB }), fc.constantFrom(...edges));
  fc.assert(
    fc.property(size, (sizeBytes) => {
      const { chunkSize, totalChunks } = planChunks(sizeBytes);
      assert.ok(totalChunks <= 10_000 && chunkSize >= 5 * MIB && chunkSize <= 5 * GIB);
      assert.ok(chunkSize === CHUNK_BYTES || sizeBytes > (chunkSize - CHUNK_BYTES) * MAX_CHUNKS);
    }),
    { numRuns: 20_000 },
  );
  assert.deepEqual(planChunks(50 * GIB), { chunkSize: 10 * MIB, totalChunks: 5_120 });
});
