import assert from 'node:assert/strict';
import test from 'node:test';
import { isEmail, isStorableText, splitEmails } from './common.ts';

test('one plain address is taken', () => {
  for (const email of [
    'a@b.co',
    'first.last+tag@sub.example.org',
    "o'hara@example.ie",
    'x_1@xn--bcher-kva.de',
  ])
    assert.ok(isEmail(email), email);
});

test('what address parsers disagree about is refused', () => {
  const refused = [
    '"quoted local"@example.org',
    'a@b@c.org',
    'a(comment)@example.org',
    'Name <a@example.org>',
    'a@example.org,b@example.org',
    'a@example.org\r\nBcc: c@example.org',
    'a@localhost',
    'a@-example.org',
    '.a@example.org',
    'a..b@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(250)}.org`,
    'é@example.org',
  ];
  for (const email of refused) assert.ok(!isEmail(email), email);
});

test('a recipients field is split, trimmed and freed of repetitions', () => {
  assert.deepEqual(splitEmails(' a@b.co, A@B.co;c@d.org\n ,,'), ['a@b.co', 'c@d.org']);
});

test('NUL and lone surrogates cannot be stored', () => {
  assert.deepEqual(['ok 😀', 'a\0b', '\uDC00'].map(isStorableText), [true, false, false]);
});
