import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL_LIST, isNarrowed, readListView, writeListView } from './list-view.ts';

test('an address names only what is unusual, and is read back the same', () => {
  assert.equal(writeListView(FULL_LIST), '');
  const view = { search: 'a&b = ü', sort: 'size', state: 'expired' } as const;
  assert.deepEqual(readListView(new URLSearchParams(writeListView(view))), view);
});

test('what nobody knows is as usual', () => {
  assert.deepEqual(readListView(new URLSearchParams('sort=colour&state=lost&search=%20')), FULL_LIST);
});

test('an order leaves nothing out; a search and a state may', () => {
  assert.equal(isNarrowed({ ...FULL_LIST, sort: 'title' }), false);
  assert.equal(isNarrowed({ ...FULL_LIST, search: 'x' }), true);
  assert.equal(isNarrowed({ ...FULL_LIST, state: 'active' }), true);
});
