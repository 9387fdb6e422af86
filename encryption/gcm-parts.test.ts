import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { randomBytes } from './bytes.ts';
import { openInParts, sealInParts } from './gcm-parts.ts';

const PART_BYTES = 512 * 1024;

const lengths = fc.oneof(
  fc.nat({ max: 100 }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -17, max: 17 }))
    .map(([parts, more]) => parts * PART_BYTES + more),
);

async function seal(plain: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) {
  const key = randomBytes(32);
  const message = { iv: randomBytes(12), additionalData };
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', ...message }, imported, plain),
  );
  return { key, message, sealed };
}

test('it seals as AES-GCM does, and opens what that has sealed, whatever the lengths', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, fc.nat({ max: 50 }), async (length, additionalLength) => {
      const plain = new Uint8Array(length).map((_, index) => index * 7);
      const { key, message, sealed } = await seal(plain, randomBytes(additionalLength));
      const target = new Uint8Array(sealed.length + 3);
      await sealInParts(key, message, plain, target);
      assert.ok(Buffer.from(sealed).equals(target.subarray(0, sealed.length)));
      const parts = await openInParts(key, message, sealed);
      assert.ok(Buffer.concat(parts).equals(plain));
      assert.equal(parts.length, Math.max(1, Math.ceil(length / PART_BYTES)));
    }),
    { numRuns: 60 },
  );
});

test('it refuses a message with any bit changed', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, fc.nat(), fc.nat({ max: 7 }), async (length, place, bit) => {
      const plain = new Uint8Array(length).map((_, index) => index * 5);
      const { key, message, sealed } = await seal(plain, randomBytes(24));
      for (const field of [message.iv, message.additionalData, sealed, key]) {
        field[place % field.length]! ^= 1 << bit;
        await assert.rejects(openInParts(key, message, sealed));
        field[place % field.length]! ^= 1 << bit;
      }
      await openInParts(key, message, sealed);
    }),
    { numRuns: 60 },
  );
});
