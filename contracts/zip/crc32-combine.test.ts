import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { combineCrc32, crc32Combiner } from './crc32-combine.ts';

const bytes = fc.uint8Array({ maxLength: 5000 });

test('the combined CRC equals that of the concatenated bytes', () => {
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const whole = crc32(Buffer.concat([first, second]));
      assert.equal(combineCrc32(crc32(first), crc32(second), second.length), whole);
    }),
  );
});

test('a combiner works for many chunks of one length and a shorter last one', () => {
  const chunkLength = 777;
  const combine = crc32Combiner(chunkLength);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 10 * chunkLength }), (whole) => {
      let sum = 0;
      for (let start = 0; start < whole.length; start += chunkLength) {
        const chunk = whole.subarray(start, start + chunkLength);
        const last = crc32(chunk);
        sum = chunk.length === chunkLength ? combine(sum, last) : combineCrc32(sum, last, chunk.length);
      }
      assert.equal(sum, crc32(whole));
    }),
  );
});

test('an empty side changes nothing', () => {
  const sum = crc32(Buffer.from('hello'));
  assert.equal(combineCrc32(0, sum, 5), sum);
  assert.equal(combineCrc32(sum, 0, 0), sum);
});

test('lengths above 4 GiB are exact', () => {
  const zeros = Buffer.alloc(1 << 20);
  const start = crc32(Buffer.from('start'));
  const step = crc32Combiner(zeros.length);
  const mebibyteOfZeros = crc32(zeros);
  let counted = start;
  let tail = 0;
  for (let index = 0; index < 5000; index += 1) {
    counted = step(counted, mebibyteOfZeros);
    tail = step(tail, mebibyteOfZeros);
  }
  assert.equal(combineCrc32(start, tail, 5000 * zeros.length), counted);
});

test('a fractional length is refused', () => {
  for (const length of [-1, 1.5, Number.NaN, 2 ** 53]) {
    assert.throws(() => crc32Combiner(length), RangeError);
  }
});
