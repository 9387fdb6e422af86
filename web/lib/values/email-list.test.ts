import assert from 'node:assert/strict';
import { test } from 'vitest';
import { describeEmailMistakes, findEmailMistake, parseEmails } from './email-list.ts';

test('Recipient e-mails: comma-separated', () => {
  assert.deepEqual(parseEmails('rex@example.org, vera@example.org'), ['rex@example.org', 'vera@example.org']);
});

test('semicolons, lines and spaces separate addresses as well', () => {
  assert.deepEqual(parseEmails('a@b.de;c@d.de\ne@f.de  g@h.de\r\ni@j.de'), [
    'a@b.de',
    'c@d.de',
    'e@f.de',
    'g@h.de',
    'i@j.de',
  ]);
});

test('extracts the address from entries copied from mail programs', () => {
  assert.deepEqual(parseEmails('Jane Doe <jane@example.org>, "Roe, Rex" <rex@example.org>; <a@b.de>'), [
    'jane@example.org',
    'rex@example.org',
    'a@b.de',
  ]);
  assert.deepEqual(parseEmails('mailto:a@b.de, (c@d.de) "e@f.de"'), ['a@b.de', 'c@d.de', 'e@f.de']);
});

test('keeps each address once, whatever its case', () => {
  assert.deepEqual(parseEmails('Rex@example.org, rex@example.org,, ,'), ['Rex@example.org']);
});

test('keeps invalid entries for correction, with their words together', () => {
  assert.deepEqual(parseEmails('rex at example, vera@'), ['rex at example', 'vera@']);
  assert.deepEqual(parseEmails('foo a@b.de'), ['foo', 'a@b.de']);
});

test('parses hostile text quickly', () => {
  assert.ok(parseEmails(`${'"'.repeat(2_001)}${'<'.repeat(2_000)}${'a '.repeat(2_000)}`).length > 0);
});

test('explains what is wrong with an address', () => {
  const said = ['rex', 'rex@', '@b.de', 'rex@b', 'rex@b.', 'a@b@c.de', 'a b@c.de', 'rex@b.de'].map(
    findEmailMistake,
  );
  assert.deepEqual(said, [
    '“rex” has no\u00a0@',
    '“rex@” has nothing after the\u00a0@',
    '“@b.de” has nothing before the\u00a0@',
    '“rex@b” has no ending like .com',
    '“rex@b.” has no ending like .com',
    '“a@b@c.de” has more than one\u00a0@',
    '“a b@c.de” is not a valid address',
    undefined,
  ]);
});

test('names up to three invalid addresses with their mistakes', () => {
  assert.equal(
    describeEmailMistakes(['foo', 'a@b.de', 'vera@'], 50),
    'Please enter a valid email address: “foo” has no\u00a0@, “vera@” has nothing after the\u00a0@.',
  );
  assert.match(describeEmailMistakes(['a', 'b', 'c', 'd', 'e'], 50)!, /“c” has no\u00a0@ and 2 more\.$/);
  assert.equal(describeEmailMistakes(['a@b.de'], 50), undefined);
});

test('refuses too many addresses', () => {
  assert.equal(
    describeEmailMistakes(['a@b.de', 'c@d.de', 'e@f.de'], 2),
    'Please enter at most 2 addresses. You entered 3.',
  );
});
