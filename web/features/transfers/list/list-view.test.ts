import assert from 'node:assert/strict';
import { test } from 'vitest';
import { FULL_LIST, isNarrowed, readListView, writeListView } from './list-view.ts';

test('the query string omits defaults and is parsed back', () => {
  assert.equal(writeListView(FULL_LIST), '');
  const view = { origin: 'received', search: 'a&b = ü', sort: 'size', state: 'expired' } as const;
  assert.deepEqual(readListView(new URLSearchParams(writeListView(view))), view);
});

test('unknown values get their defaults', () => {
  assert.deepEqual(
    readListView(new URLSearchParams('sort=colour&state=lost&origin=nowhere&search=%20')),
    FULL_LIST,
  );
});

test('only a search or a state narrows the list', () => {
  assert.equal(isNarrowed({ ...FULL_LIST, sort: 'title', origin: 'received' }), false);
  assert.equal(isNarrowed({ ...FULL_LIST, search: 'x' }), true);
  assert.equal(isNarrowed({ ...FULL_LIST, state: 'active' }), true);
});
