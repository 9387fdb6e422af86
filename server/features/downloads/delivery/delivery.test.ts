import assert from 'node:assert/strict';
import test from 'node:test';
import { RunningDownloads } from './delivery.ts';

test('a download in one request is complete once its last byte is sent', () => {
  const running = new RunningDownloads();
  assert.equal(running.end('one', running.begin('one', 0), { reachedEnd: true }), true);
  assert.equal(running.end('two', running.begin('two', 0), { reachedEnd: false }), false);
});

test('a download in parallel ranges is complete once the last of them ends', () => {
  const running = new RunningDownloads();
  const first = running.begin('one', 0);
  const second = running.begin('one', 100);
  const another = running.begin('another', 0);
  assert.equal(running.end('one', second, { reachedEnd: true }), false);
  assert.equal(running.end('another', another, { reachedEnd: false }), false);
  assert.equal(running.end('one', first, { reachedEnd: false }), true);
});

test('an interrupted download is complete once it has been resumed to its end', () => {
  const running = new RunningDownloads();
  assert.equal(running.end('one', running.begin('one', 0), { reachedEnd: false }), false);
  assert.equal(running.end('one', running.begin('one', 50), { reachedEnd: true }), true);
});

test('progress counts what was sent, not how far a parallel range begins', () => {
  const running = new RunningDownloads();
  assert.equal(running.findSentBytes('one'), undefined);
  const first = running.begin('one', 60);
  first.sentBytes = 5;
  assert.equal(running.findSentBytes('one'), 65, 'a resumed download has what lies before');
  const second = running.begin('one', 0);
  second.sentBytes = 10;
  assert.equal(running.findSentBytes('one'), 15);
  running.end('one', first, { reachedEnd: false });
  assert.equal(running.findSentBytes('one'), 15);
});
