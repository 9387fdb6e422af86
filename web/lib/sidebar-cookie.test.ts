import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSidebarOpen, sidebarCookie } from './sidebar-cookie.ts';

test('the sidebar is open until somebody closes it', () => {
  assert.equal(isSidebarOpen(''), true);
  assert.equal(isSidebarOpen('other=false'), true);
});

test('reads back what it wrote, among other cookies', () => {
  for (const isOpen of [true, false]) {
    const stored = sidebarCookie(isOpen).split(';')[0];
    assert.equal(isSidebarOpen(`first=1; ${stored}; last=2`), isOpen);
  }
});

test('the cookie lasts seven days', () => {
  assert.match(sidebarCookie(true), /max-age=604800/);
});
