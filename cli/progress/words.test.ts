import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { describeProgress, drawBar, formatDuration, percentOf, toOneLine } from './words.ts';

test('a bar always has the same width', () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 2, noNaN: true }), (share) => {
      const { filled, rest } = drawBar(share);
      assert.equal(filled.length + rest.length, 24);
    }),
  );
  assert.equal(drawBar(1).rest, '');
  assert.equal(drawBar(0).filled, '');
});

test('progress reaches 100 % only when everything is done', () => {
  assert.equal(percentOf({ bytes: 999_999, totalBytes: 1_000_000 }), 99);
  assert.equal(percentOf({ bytes: 0, totalBytes: 0 }), 100);
});

test('progress is one line without unknown values', () => {
  const known = { verb: 'Sending', bytes: 5_242_880, totalBytes: 10_485_760, files: 1, totalFiles: 2 };
  assert.equal(
    describeProgress({ ...known, bytesPerSecond: 1_048_576, secondsLeft: 5 }),
    ' 50 %  5 MB of 10 MB  1 of 2 files  1 MB/s  5 s left',
  );
  assert.equal(describeProgress({ ...known, totalFiles: 1 }), ' 50 %  5 MB of 10 MB');
});

test('durations have at most two units', () => {
  const texts = [0, 59.4, 60, 61, 3_600, 7_500, 90_000].map(formatDuration);
  assert.deepEqual(texts, ['1 s', '59 s', '1 min', '1 min 1 s', '1 h', '2 h 5 min', '1 d 1 h']);
});

test('a name with control characters cannot move the cursor', () => {
  assert.equal(toOneLine('a\u001b[2J\nb\u202ec'), 'a [2J b c');
});
