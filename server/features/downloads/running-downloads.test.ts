import assert from 'node:assert/strict';
import test from 'node:test';
import { RunningDownloads } from './running-downloads.ts';

test('a download in one request is complete when its last byte was sent', () => {
  const running = new RunningDownloads();
  running.begin('one');
  assert.equal(running.end('one', { reachedEnd: true }), true);
  running.begin('two');
  assert.equal(running.end('two', { reachedEnd: false }), false);
});

test('a download in several ranges at once is complete when the last of them has ended', () => {
  const running = new RunningDownloads();
  running.begin('one');
  running.begin('one');
  running.begin('another');
  assert.equal(running.end('one', { reachedEnd: true }), false);
  assert.equal(running.end('another', { reachedEnd: false }), false);
  assert.equal(running.end('one', { reachedEnd: false }), true);
});

test('a broken download is complete once it was resumed to its end', () => {
  const running = new RunningDownloads();
  running.begin('one');
  assert.equal(running.end('one', { reachedEnd: false }), false);
  running.begin('one');
  assert.equal(running.end('one', { reachedEnd: true }), true);
});
