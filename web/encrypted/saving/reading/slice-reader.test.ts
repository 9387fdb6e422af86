import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { SliceReader } from './slice-reader.ts';

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 7) % 251);

/** Serves slices in an order of its own. */
function makeSource(bytes: Uint8Array<ArrayBuffer>) {
  const requested: [number, number][] = [];
  let open = 0;
  let mostOpen = 0;
  let openAtLast = -1;
  return {
    requested,
    mostOpen: () => mostOpen,
    openAtLast: () => openAtLast,
    sizeBytes: bytes.length,
    fetch: async (start: number, end: number, target: Uint8Array) => {
      requested.push([start, end]);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      if (end === bytes.length) openAtLast = open;
      await new Promise((resolve) => setTimeout(resolve, (start * 13) % 3));
      open -= 1;
      assert.equal(target.length, end - start);
      target.set(bytes.subarray(start, end));
    },
  };
}

test('reads of any length give the bytes in order until they are released, each slice requested once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 10, max: 64 }),
      fc.nat({ max: 50 }),
      fc.array(fc.record({ skip: fc.nat({ max: 9 }), length: fc.integer({ min: 1, max: 90 }) })),
      fc.nat({ max: 3 }),
      async (size, sliceBytes, start, reads, kept) => {
        const bytes = bytesOf(size);
        const source = makeSource(bytes);
        const reader = new SliceReader(source, { start: Math.min(start, size - 1), sliceBytes });
        let at = Math.min(start, size - 1);
        const inUse: { end: number; got: Uint8Array; expected: Uint8Array }[] = [];
        for (const { skip, length } of reads) {
          if (at + skip + length > size) break;
          at += skip;
          const expected = bytes.slice(at, at + length);
          inUse.push({ end: at + length, got: await reader.read(at, length), expected });
          for (const each of inUse) assert.deepEqual(each.got, each.expected);
          if (inUse.length > kept) reader.release(inUse.shift()!.end);
          at += length;
        }
        await reader.finish();
        assert.equal(source.requested.at(-1)?.[1], size, 'the end of the download is seen');
        const starts = source.requested.map(([from]) => from);
        assert.equal(new Set(starts).size, starts.length);
        assert.ok(source.mostOpen() <= 3);
        assert.equal(source.openAtLast(), 1, 'the last slice is requested alone');
      },
    ),
    { numRuns: 60 },
  );
});

test('a failed slice fails the read', async () => {
  const source = { sizeBytes: 10, fetch: () => Promise.reject(new Error('cut')) };
  await assert.rejects(new SliceReader(source, { sliceBytes: 4 }).read(0, 2), /cut/);
});
