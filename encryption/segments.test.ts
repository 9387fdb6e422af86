import assert from 'node:assert/strict';
import test from 'node:test';
import { encryptedSize, SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../contracts/transfers/encryption.ts';
import { randomBytes } from './bytes.ts';
import { DamagedSegmentError } from './errors.ts';
import { createEncryption } from './keys.ts';
import { createFileId, openSegments, sealSegments } from './segments.ts';

const { keys } = await createEncryption();
const key = keys.content;
const fileId = createFileId();

function fill(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => index * 7 + (index >>> 11));
}

const place = (plainBytes: number, firstSegment = 0) => ({ fileId, plainBytes, firstSegment });

test('files of every interesting length are opened as they were, in one piece and segment by segment', async () => {
  const edges = [0, 1, 1_048_535, 1_048_536, 1_048_537, 5 * SEGMENT_PLAIN_BYTES, 5 * 1024 * 1024 + 1];
  for (const length of edges) {
    const plain = fill(length);
    const sealed = await sealSegments(key, place(length), plain);
    assert.equal(sealed.length, encryptedSize(length));
    assert.ok(Buffer.from(await openSegments(key, place(length), sealed)).equals(plain));
    for (let segment = 0; segment * SEGMENT_BYTES < sealed.length; segment += 1) {
      const piece = sealed.slice(segment * SEGMENT_BYTES, (segment + 1) * SEGMENT_BYTES);
      const opened = await openSegments(key, place(length, segment), piece);
      const start = segment * SEGMENT_PLAIN_BYTES;
      assert.ok(Buffer.from(opened).equals(plain.subarray(start, start + SEGMENT_PLAIN_BYTES)));
    }
  }
});

test('chunks that were sealed alone make the file', async () => {
  const plain = fill(7 * SEGMENT_PLAIN_BYTES + 99);
  const first = await sealSegments(key, place(plain.length), plain.subarray(0, 5 * SEGMENT_PLAIN_BYTES));
  const second = await sealSegments(key, place(plain.length, 5), plain.subarray(5 * SEGMENT_PLAIN_BYTES));
  assert.equal(first.length, 5 * SEGMENT_BYTES);
  const opened = await openSegments(key, place(plain.length), new Uint8Array(Buffer.concat([first, second])));
  assert.ok(Buffer.from(opened).equals(plain));
});

test('the result can be put into memory that is used again', async () => {
  const [sealedIn, plainIn] = [new Uint8Array(2 * SEGMENT_BYTES), new Uint8Array(2 * SEGMENT_BYTES)];
  for (const length of [SEGMENT_PLAIN_BYTES + 5, 3]) {
    const plain = fill(length);
    const sealed = await sealSegments(key, place(length), plain, sealedIn);
    assert.equal(sealed.buffer, sealedIn.buffer);
    assert.equal(sealed.length, encryptedSize(length));
    assert.ok(Buffer.from(await openSegments(key, place(length), sealed, plainIn)).equals(plain));
  }
  const sealed = await sealSegments(key, place(9), fill(9));
  await assert.rejects(openSegments(key, place(9), sealed, new Uint8Array(8)), RangeError);
});

test('sealing the same bytes again uses other nonces', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => sealSegments(key, place(3), fill(3))));
  assert.notDeepEqual(first!.subarray(0, 24), second!.subarray(0, 24));
});

test('plaintext that does not end where a segment ends is refused', async () => {
  await assert.rejects(sealSegments(key, place(10), fill(9)), RangeError);
  await assert.rejects(sealSegments(key, place(10), fill(11)), RangeError);
  await assert.rejects(sealSegments(key, place(10, 1), fill(0)), RangeError);
  await assert.rejects(sealSegments(key, place(10, -1), fill(10)), RangeError);
  await assert.rejects(sealSegments(key, place(2 * SEGMENT_PLAIN_BYTES), fill(0)), RangeError);
});

test('a file id that is none is refused instead of read as zeros', async () => {
  for (const bad of ['', 'photo.jpg', fileId.toUpperCase().replace(/^./, 'A'), `${fileId}00`])
    await assert.rejects(sealSegments(key, { ...place(1), fileId: bad }, fill(1)), RangeError, bad);
});

test('one wrong segment of many releases none', async () => {
  const length = 3 * SEGMENT_PLAIN_BYTES;
  const sealed = await sealSegments(key, place(length), fill(length));
  sealed[SEGMENT_BYTES + 30]! ^= 1;
  await assert.rejects(openSegments(key, place(length), sealed), (error) => {
    assert.ok(error instanceof DamagedSegmentError);
    assert.equal(error.segment, 1);
    return true;
  });
});

test('bytes of another place, file, length or key are damage', async () => {
  const length = 2 * SEGMENT_PLAIN_BYTES;
  const sealed = await sealSegments(key, place(length), fill(length));
  const [first, second] = [sealed.slice(0, SEGMENT_BYTES), sealed.slice(SEGMENT_BYTES)];
  const damaged = (...given: Parameters<typeof openSegments>) =>
    assert.rejects(openSegments(...given), DamagedSegmentError);
  await damaged(key, place(length), new Uint8Array(Buffer.concat([second, first])));
  await damaged(key, place(length), new Uint8Array(Buffer.concat([first, first])));
  await damaged(key, place(length, 1), first);
  await damaged(key, place(SEGMENT_PLAIN_BYTES), first);
  await damaged(
    key,
    place(length + SEGMENT_PLAIN_BYTES),
    new Uint8Array(Buffer.concat([first, second, second])),
  );
  await damaged(key, place(length), sealed.slice(0, -1));
  await damaged(key, place(length), new Uint8Array());
  await damaged(key, place(length, 2), new Uint8Array());
  await damaged(key, { ...place(length), fileId: createFileId() }, sealed);
  await damaged(keys.manifest, place(length), sealed);
  assert.equal((await openSegments(key, place(length), sealed)).length, length);
});

test('an empty file is one sealed segment', async () => {
  const sealed = await sealSegments(key, place(0), new Uint8Array());
  assert.equal(sealed.length, 40);
  assert.equal((await openSegments(key, place(0), sealed)).length, 0);
  await assert.rejects(openSegments(key, place(0), new Uint8Array()), DamagedSegmentError);
  await assert.rejects(openSegments(key, place(0), randomBytes(40)), DamagedSegmentError);
});
