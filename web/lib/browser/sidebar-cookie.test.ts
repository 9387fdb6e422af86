import assert from 'node:assert/strict';
import { test } from 'vitest';
import { isSidebarOpen, sidebarCookie } from './sidebar-cookie.ts';

test('the sidebar is open by default', () => {
  assert.equal(isSidebarOpen(''), true);
  assert.equal(isSidebarOpen('other=false'), true);
});

test('reads back what it wrote, among other cookies', () => {
  for (const isHttps of [true, false])
    for (const isOpen of [true, false]) {
      const stored = sidebarCookie(isOpen, { isHttps }).split(';')[0];
      assert.equal(isSidebarOpen(`first=1; ${stored}; last=2`), isOpen);
    }
});

test('on https the cookie has a name that insecure pages cannot set, and precedes the old one', () => {
  const cookie = sidebarCookie(true, { isHttps: true });
  assert.match(cookie, /^__Secure-sidebar_state=true; secure;/);
  assert.equal(isSidebarOpen('sidebar_state=false; __Secure-sidebar_state=true'), true);
  assert.equal(isSidebarOpen('sidebar_state=false'), false);
});

test('the cookie lasts seven days', () => {
  assert.match(sidebarCookie(true, { isHttps: false }), /max-age=604800/);
});
