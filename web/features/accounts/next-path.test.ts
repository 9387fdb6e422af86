import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { pathAfterSignIn, readNextPath, signInPath } from './next-path.ts';

const FRIDA: CurrentUser = {
  id: 'f',
  name: 'Frida',
  username: 'frida',
  email: 'frida+1@example.org',
  emailVerified: true,
  isAdmin: false,
  tier: 'free',
  createdAt: '2026-01-15T12:00:00.000Z',
};

const nextOf = (path: string) => readNextPath(`?next=${encodeURIComponent(path)}`);

test('goes to the dashboard by default', () => {
  assert.equal(pathAfterSignIn({ user: FRIDA, search: '', hasFiles: false }), '/dashboard');
});

test('an unverified user goes to verification first', () => {
  const user = { ...FRIDA, emailVerified: false };
  const path = pathAfterSignIn({ user, search: '?next=/dashboard/upload', hasFiles: true });
  assert.equal(path, '/verify-email?email=frida%2B1%40example.org');
});

test('files that wait lead to the upload page, unless another page was requested', () => {
  const goOn = (search: string) => pathAfterSignIn({ user: FRIDA, search, hasFiles: true });
  assert.equal(goOn(''), '/dashboard/upload');
  assert.equal(goOn('?next=%2Fpricing%3Fplan%3Dpro'), '/pricing?plan=pro');
});

test('continues to a path of this site with its query and fragment', () => {
  assert.equal(nextOf('/dashboard/upload?a=1#b'), '/dashboard/upload?a=1#b');
});

test('returns to the page that required sign-in, with its query and fragment', () => {
  const place = { pathname: '/dashboard/upload', search: '?to=a&b', hash: '#c' };
  const { search } = new URL(signInPath(place), 'https://sendwell.test');
  assert.equal(pathAfterSignIn({ user: FRIDA, search, hasFiles: false }), '/dashboard/upload?to=a&b#c');
});

test('the dashboard needs no next parameter', () => {
  assert.equal(signInPath({ pathname: '/dashboard', search: '', hash: '' }), '/auth');
});

test('never leaves this site', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'dashboard',
    '',
  ];
  for (const path of elsewhere) assert.equal(nextOf(path), '/dashboard', path);
});
