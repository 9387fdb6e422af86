import assert from 'node:assert/strict';
import test from 'node:test';
import { RunningDownloads } from './delivery.ts';

test('a download in one request is complete once its last byte is sent', () => {
  const running = new RunningDownloads();
  running.begin('one', 0);
  assert.equal(running.end('one', { reachedEnd: true }), true);
  running.begin('two', 0);
  assert.equal(running.end('two', { reachedEnd: false }), false);
});

test('a download in parallel ranges is complete once the last of them ends', () => {
  const running = new RunningDownloads();
  running.begin('one', 0);
  running.begin('one', 0);
  running.begin('another', 0);
  assert.equal(running.end('one', { reachedEnd: true }), false);
  assert.equal(running.end('another', { reachedEnd: false }), false);
  assert.equal(running.end('one', { reachedEnd: false }), true);
});

test('an interrupted download is complete once it has been resumed to its end', () => {
  const running = new RunningDownloads();
  running.begin('one', 0);
  assert.equal(running.end('one', { reachedEnd: false }), false);
  running.begin('one', 0);
  assert.equal(running.end('one', { reachedEnd: true }), true);
});
