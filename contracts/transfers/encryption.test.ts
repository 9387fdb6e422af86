import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { CHUNK_BYTES, MAX_CHUNKS, MAX_FILE_BYTES, planChunks } from '../plans/limits.ts';
import { MIB } from '../values/sizes.ts';
import {
  AccessKey,
  AccessKeyHash,
  EncryptionParams,
  encryptedSize,
  isManifestSize,
  MANIFEST_MAX_BYTES,
  plainSize,
  SEGMENT_BYTES,
  SEGMENT_PLAIN_BYTES,
  segmentCount,
} from './encryption.ts';

test('every length of ciphertext has one length of plaintext, and lengths between are none', () => {
  assert.equal(encryptedSize(0), 40);
  assert.equal(encryptedSize(SEGMENT_PLAIN_BYTES), MIB);
  assert.equal(encryptedSize(SEGMENT_PLAIN_BYTES + 1), MIB + 41);
  for (const size of [-1, 0, 39, 40.5, MIB + 1, MIB + 40, Number.NaN, 2 ** 53])
    assert.equal(plainSize(size), undefined, String(size));
  assert.equal(plainSize(40), 0);
  assert.equal(plainSize(2 * MIB), 2 * SEGMENT_PLAIN_BYTES);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_FILE_BYTES }), (plainBytes) => {
      assert.equal(plainSize(encryptedSize(plainBytes)), plainBytes);
      assert.equal(segmentCount(plainBytes), Math.ceil(encryptedSize(plainBytes) / SEGMENT_BYTES));
    }),
    { numRuns: 10_000 },
  );
});

test('segments never cross chunks: every chunk size is a multiple of 1 MiB', () => {
  const aligned = (sizeBytes: number) => assert.equal(planChunks(sizeBytes).chunkSize % SEGMENT_BYTES, 0);
  const step = CHUNK_BYTES * MAX_CHUNKS;
  for (let size = step; size <= MAX_FILE_BYTES; size += step)
    for (const each of [size - 1, size, size + 1]) aligned(each);
  aligned(MAX_FILE_BYTES);
  fc.assert(fc.property(fc.integer({ min: 0, max: MAX_FILE_BYTES }), aligned), { numRuns: 10_000 });
});

test('a manifest is a multiple of 4 KiB inside and limited outside', () => {
  assert.ok(isManifestSize(encryptedSize(4096)) && isManifestSize(encryptedSize(3 * MIB)));
  for (const size of [40, 4096, encryptedSize(4095), MANIFEST_MAX_BYTES + 4136])
    assert.ok(!isManifestSize(size));
});

test('parameters are accepted in one spelling only', () => {
  const params = {
    version: 'e2e-1',
    salt: Buffer.alloc(16, 1).toString('base64url'),
    kdf: { name: 'pbkdf2-sha-256', iterations: 600_000, salt: Buffer.alloc(16, 2).toString('base64url') },
    commit: Buffer.alloc(32, 3).toString('base64url'),
  };
  assert.deepEqual(EncryptionParams.parse(params), params);
  assert.ok(EncryptionParams.safeParse({ ...params, kdf: { name: 'none' } }).success);
  const bad = [
    { ...params, version: 'e2e-2' },
    { ...params, salt: `${params.salt}==` },
    { ...params, salt: `${params.salt.slice(0, -1)}R` },
    { ...params, commit: params.salt },
    { ...params, kdf: { ...params.kdf, iterations: 599_999 } },
    { ...params, kdf: { ...params.kdf, iterations: 10_000_001 } },
    { ...params, kdf: { name: 'none', iterations: 600_000 } },
    { ...params, kdf: { name: 'argon2id' } },
    { ...params, password: 'x' },
  ];
  for (const each of bad) assert.ok(!EncryptionParams.safeParse(each).success, JSON.stringify(each));
});

test('every 32 bytes are an access key, and may be the hash of one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      return AccessKey.safeParse(text).success && AccessKeyHash.safeParse(text).success;
    }),
  );
});
