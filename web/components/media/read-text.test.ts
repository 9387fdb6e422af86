import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readTextStart } from './read-text.ts';

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
}

test('reads a short text whole, a byte order mark left out', async () => {
  assert.deepEqual(await readTextStart(streamOf('\ufeffGrü', 'ezi'), 100), { text: 'Grüezi', isCut: false });
});

test('a text of exactly the bound is not cut', async () => {
  assert.deepEqual(await readTextStart(streamOf('abc', 'def'), 6), { text: 'abcdef', isCut: false });
});

test('cuts at the bound and stops reading', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from('12345678')),
    cancel: () => {
      isCancelled = true;
    },
  });
  assert.deepEqual(await readTextStart(endless, 11), { text: '12345678123', isCut: true });
  assert.equal(isCancelled, true);
});

test('does not show half a sign where it cuts', async () => {
  assert.deepEqual(await readTextStart(streamOf('aé'), 2), { text: 'a', isCut: true });
});

test('bytes that are no text are replaced, never refused', async () => {
  const { text } = await readTextStart(ReadableStream.from([Buffer.from([0x41, 0xff, 0x42])]), 10);
  assert.equal(text, 'A\ufffdB');
});
