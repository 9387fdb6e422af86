import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { S3 } from '@aws-sdk/client-s3';
import { KIB } from '../../../../contracts/values/sizes.ts';
import { read, send } from '../../../../testing/storage/s3-files.ts';
import { isS3ServerInstalled, startS3Server } from '../../../../testing/storage/s3-server.ts';
import { isAppError } from '../../lib/app-error.ts';
import type { Place } from '../blob-store.ts';
import { memoryPartNotes } from './part-notes.fixtures.ts';
import { openS3BlobStore } from './s3.ts';
import { S3Requests } from './s3-client.ts';
import { listStoredParts } from './s3-listing.ts';

const BUCKET = 'many-parts';
const LISTED = 10;
const PARTS = 33;
const LOST = 27;
const skip = !isS3ServerInstalled() && 'OpenStack Swift is missing: run bin/install-test-servers.ts';

test('a file of more parts than one listing is joined, and its missing part is reported', {
  skip,
}, async (t) => {
  const server = await startS3Server({ minPartBytes: KIB, maxListed: LISTED });
  t.after(() => server.stop());
  await server.createBucket(BUCKET);
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const notes = memoryPartNotes();
  const access = { bucket: BUCKET, endpoint, region, accessKeyId, secretAccessKey, forcePathStyle: true };
  const store = await openS3BlobStore({ ...access, notes });
  t.after(() => store.close());
  const bytes = randomBytes(KIB * (PARTS - 1) + 10);
  const storageKey = randomBytes(16).toString('hex');
  const sizes = { sizeBytes: bytes.length, chunkSize: KIB, chunkCount: PARTS };
  const place: Place = { storageKey, offset: 0, firstSlot: 0, ...sizes };
  await store.prepare(place);
  const waiting = Array.from({ length: PARTS }, (_, index) => index).values();
  const sendNext = async () => {
    for (const index of waiting) await send(store, place, index, bytes);
  };
  await Promise.all(Array.from({ length: 8 }, sendNext));
  const noted = (await notes.listParts(storageKey))[LOST]!;
  await notes.savePart(storageKey, { ...noted, etag: '"00000000000000000000000000000000"' });
  await assert.rejects(store.seal([place]), (error) => {
    assert.ok(isAppError(error, 'chunks_missing'), String(error));
    assert.deepEqual(error.details, { count: 1, missing: [LOST], position: 0 });
    return true;
  });
  await send(store, place, LOST, bytes);
  assert.deepEqual(await store.seal([place]), [{ crc32: crc32(bytes) }]);
  assert.ok((await read(store, place)).equals(bytes));
});

test('ten thousand parts are listed by pages of a thousand, from any part on', async () => {
  const asked: (string | undefined)[] = [];
  const client = {
    async listParts({ PartNumberMarker }: { PartNumberMarker?: string }) {
      asked.push(PartNumberMarker);
      const after = Number(PartNumberMarker ?? 0);
      const count = Math.min(1_000, 10_000 - after);
      const Parts = Array.from({ length: count }, (_, index) => ({ PartNumber: after + index + 1, Size: 1 }));
      return { Parts, IsTruncated: after + count < 10_000, NextPartNumberMarker: String(after + count) };
    },
  } as unknown as S3;
  const requests = new S3Requests({ answerMs: 1_000, firstPauseMs: 1 });
  const list = async (after?: number) => {
    const numbers: number[] = [];
    const multipart = { storageKey: 'key', multipartId: 'id' };
    const parts = listStoredParts({ client, requests, bucket: BUCKET, prefix: 'blobs/' }, multipart, after);
    for await (const { number } of parts) numbers.push(number);
    return numbers;
  };
  assert.deepEqual(
    await list(),
    Array.from({ length: 10_000 }, (_, index) => index + 1),
  );
  assert.equal(asked.length, 10);
  assert.deepEqual(await list(9_998), [9_999, 10_000]);
  assert.deepEqual(asked.slice(10), ['9998']);
});
