import assert from 'node:assert/strict';
import { test } from 'vitest';
import { countOf } from '../../../../contracts/values/format.ts';
import { describeContent, findViewState, isUsedUp } from './view-state.ts';

test('an expired transfer shows nothing else, whatever the view carries', () => {
  const view = { isExpired: true, isPasswordProtected: true, unlocked: false };
  assert.deepEqual(findViewState(view), { kind: 'expired' });
});

test('a protected transfer is locked until it is unlocked', () => {
  assert.equal(findViewState({ isPasswordProtected: true, unlocked: false }).kind, 'locked');
  assert.equal(findViewState({ isPasswordProtected: true, unlocked: true }).kind, 'open');
});

test('before its time an unlocked transfer is scheduled', () => {
  const availableAt = '2030-01-01T00:00:00.000Z';
  assert.deepEqual(findViewState({ unlocked: true, availableAt }), { kind: 'scheduled', availableAt });
});

test('content is told as count and size', () => {
  assert.equal(describeContent({ fileCount: 12, totalSize: 1536 }), '12 files · 1.5 KB');
});

test('downloads are counted in singular and plural', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => countOf(count, 'download')),
    ['0 downloads', '1 download', '2 downloads'],
  );
});

test('a limit is used up when it is reached, and never without a limit', () => {
  assert.equal(isUsedUp({ maxDownloads: 3, downloadCount: 2 }), false);
  assert.equal(isUsedUp({ maxDownloads: 3, downloadCount: 3 }), true);
  assert.equal(isUsedUp({ maxDownloads: null, downloadCount: 9 }), false);
});
