import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { BlobStore } from '../../../platform/storage/blob-store.ts';
import { ArrivalWatch } from './arrivals.ts';

const UPLOAD = {
  id: 'u',
  storageKey: 'k',
  offset: 0,
  firstSlot: 0,
  sizeBytes: 10,
  chunkSize: 10,
  chunkCount: 1,
};

test('a reader that disconnects while its chunk is looked up does not wait for the chunk', async () => {
  const leaving = new AbortController();
  const blobs: Pick<BlobStore, 'findHead'> = {
    async findHead() {
      leaving.abort(new Error('left'));
      return { sizeBytes: 0, crc32: 0 };
    },
  };
  const watch = new ArrivalWatch({ blobs } as never, UPLOAD, () => undefined);
  const stillWaiting = setImmediate('still waiting');
  await assert.rejects(Promise.race([watch.waitForChunk(0, leaving.signal), stillWaiting]), /left/);
  assert.equal(watch.lowestWanted, undefined);
});
