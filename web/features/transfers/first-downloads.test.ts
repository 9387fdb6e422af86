import assert from 'node:assert/strict';
import { test } from 'vitest';
import { findFirstDownloads, listWaiting } from './first-downloads.ts';

const transfer = (id: string, downloadCount: number) => ({ id, downloadCount });

test('finds transfers whose first download came since the last look', () => {
  const waiting = listWaiting([transfer('a', 0), transfer('b', 0), transfer('c', 3)]);
  const now = [transfer('a', 2), transfer('b', 0), transfer('c', 4), transfer('new', 1)];
  assert.deepEqual(findFirstDownloads(waiting, now), [transfer('a', 2)]);
  assert.deepEqual(findFirstDownloads(listWaiting(now), now), []);
});
