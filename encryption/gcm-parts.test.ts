import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { concatBytes, randomBytes } from './bytes.ts';
import { openInParts } from './gcm-parts.ts';

const PART_BYTES = 512 * 1024;
const BEFORE = 24;

async function seal(plain: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) {
  const key = randomBytes(32);
  const iv = randomBytes(12);
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const algorithm = { name: 'AES-GCM', iv, additionalData };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, plain));
  return {
    key,
    message: { iv, additionalData, sealed: concatBytes(randomBytes(BEFORE), sealed), start: BEFORE },
  };
}

const lengths = fc.oneof(
  fc.nat({ max: 100 }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -17, max: 17 }))
    .map(([parts, more]) => parts * PART_BYTES + more),
);

test('it opens what AES-GCM has sealed, whatever the lengths', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, fc.nat({ max: 50 }), async (length, additionalLength) => {
      const plain = new Uint8Array(length).map((_, index) => index * 7);
      const { key, message } = await seal(plain, randomBytes(additionalLength));
      const parts = await openInParts(key, message);
      assert.ok(Buffer.concat(parts).equals(plain));
      assert.equal(parts.length, Math.max(1, Math.ceil(length / PART_BYTES)));
    }),
    { numRuns: 60 },
  );
});

test('it refuses a message with any bit changed', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, fc.nat(), fc.nat({ max: 7 }), async (length, place, bit) => {
      const { key, message } = await seal(randomBytes(65_536).slice(0, length), randomBytes(24));
      const fields = [message.iv, message.additionalData, message.sealed.subarray(BEFORE), key];
      for (const field of fields) {
        field[place % field.length]! ^= 1 << bit;
        await assert.rejects(openInParts(key, message));
        field[place % field.length]! ^= 1 << bit;
      }
      await openInParts(key, message);
    }),
    { numRuns: 60 },
  );
});
