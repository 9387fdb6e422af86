import assert from 'node:assert/strict';
import { test } from 'vitest';
import { countOf } from '../../contracts/values/format.ts';
import { describeState, formatDuration, percentOf } from './upload-words.ts';

test('shows 100 % only when every byte has arrived', () => {
  assert.equal(percentOf({ phase: 'uploading', totalBytes: 1000, sentBytes: 999 }), 99);
  assert.equal(percentOf({ phase: 'uploading', totalBytes: 1000, sentBytes: 1000 }), 100);
});

test('a transfer of empty files is at 100 % while it completes', () => {
  assert.equal(percentOf({ phase: 'preparing', totalBytes: 0, sentBytes: 0 }), 0);
  assert.equal(percentOf({ phase: 'completing', totalBytes: 0, sentBytes: 0 }), 100);
});

test('long durations are rounded more coarsely', () => {
  const said = [0.2, 45, 61, 3600, 4800, 50 * 3600].map(formatDuration);
  assert.deepEqual(said, ['1 s', '45 s', '2 min', '1 h', '1 h 20 min', '3 days']);
});

test('trouble takes precedence over the phase', () => {
  const network = { kind: 'network', message: 'Waiting for the network…' } as const;
  assert.equal(describeState({ phase: 'uploading', trouble: network }), 'Waiting for the network…');
  const signIn = { kind: 'sign-in', message: 'Please sign in first.' } as const;
  assert.equal(describeState({ phase: 'paused', trouble: signIn }), 'Please sign in again');
  assert.equal(describeState({ phase: 'paused', trouble: undefined }), 'Paused');
});

test('counts files with the right plural', () => {
  assert.deepEqual(
    [1, 2, 3000].map((count) => countOf(count, 'file')),
    ['1 file', '2 files', '3,000 files'],
  );
});
