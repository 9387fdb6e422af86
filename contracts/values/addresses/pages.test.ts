import assert from 'node:assert/strict';
import test from 'node:test';
import { isPage, PAGES, transferPage } from './pages.ts';

test('only paths of existing pages are recognized', () => {
  assert.deepEqual(
    ['/', PAGES.auth, '/download/abc', '/dashboard/', transferPage('x'), '/nope', '/download', '/authx'].map(
      isPage,
    ),
    [true, true, true, true, true, false, false, false],
  );
});
