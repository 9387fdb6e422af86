import assert from 'node:assert/strict';
import test from 'node:test';
import { readLinkToken, resetPasswordPath, secureAccountPath, undoEmailChangePath } from './links.ts';

test('tokens of account links are in the fragment, and older links with a query are still read', () => {
  for (const path of [resetPasswordPath('abc'), undoEmailChangePath('abc'), secureAccountPath('abc')]) {
    const { hash, search } = new URL(path, 'https://example.org');
    assert.deepEqual([hash, search, readLinkToken({ hash, search })], ['#token=abc', '', 'abc']);
  }
  assert.equal(readLinkToken({ hash: '', search: '?token=old' }), 'old');
  assert.equal(readLinkToken({ hash: '', search: '' }), null);
});
