import assert from 'node:assert/strict';
import { test } from 'vitest';
import { explainRefusal } from './start-download.ts';

test('failures without a reason of their own say what failed', () => {
  const words = (isZip: boolean) => explainRefusal(0, { isZip, view: undefined });
  assert.equal(words(false), 'Failed to download file. Please try again.');
  assert.equal(words(true), 'Failed to download files. Please try again.');
});

test('410 tells the used up transfer from the expired one', () => {
  const words = (isExpired: boolean) => explainRefusal(410, { isZip: false, view: { isExpired } });
  assert.match(words(false), /download limit/);
  assert.match(words(true), /expired/);
});

test('423 tells the locked transfer from the one that is not yet available', () => {
  const locked = explainRefusal(423, { isZip: false, view: { unlocked: false } });
  assert.match(locked, /password/);
  const early = explainRefusal(423, { isZip: false, view: { availableAt: '2030-01-01T00:00:00.000Z' } });
  assert.match(early, /not available yet/);
});

test('410 of a transfer that is neither expired nor used up is a damaged file', () => {
  const words = (maxDownloads: number) =>
    explainRefusal(410, { isZip: true, view: { hasDamagedFiles: true, maxDownloads, downloadCount: 3 } });
  assert.match(words(5), /damaged/);
  assert.match(words(3), /download limit/);
});
