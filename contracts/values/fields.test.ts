import assert from 'node:assert/strict';
import test from 'node:test';
import { createApiKey } from '../accounts/api-keys.ts';
import { parseTextSettings } from '../transfers/settings/text-settings.ts';
import { TransferSettings, updateTransfer } from '../transfers/transfers.ts';
import { createInvitation, updateInvitation } from '../transfers/uploads/invitations.ts';
import { isEmail, isStorableText, splitEmails } from './fields.ts';

test('one plain address is accepted', () => {
  for (const email of [
    'a@b.co',
    'first.last+tag@sub.example.org',
    "o'hara@example.ie",
    'x_1@xn--bcher-kva.de',
  ])
    assert.ok(isEmail(email), email);
});

test('addresses that parsers interpret differently are refused', () => {
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

test('a recipients field is split, trimmed and deduplicated', () => {
  assert.deepEqual(splitEmails(' a@b.co, A@B.co;c@d.org\n ,,'), ['a@b.co', 'c@d.org']);
});

test('text with NUL or lone surrogates cannot be stored', () => {
  assert.deepEqual(['ok 😀', 'a\0b', '\uDC00'].map(isStorableText), [true, false, false]);
});

test('titles and names are reduced to one line without bidi controls in every schema', () => {
  const title = ' Summer\r\nBcc: eve@example.org\t2026 \u202egpj.\u2066exe\u2028end\n';
  const clean = 'Summer Bcc: eve@example.org 2026 gpj.exe end';
  const parsed = [
    TransferSettings.parse({ title }).title,
    parseTextSettings([['title', title]]).data?.title,
    parseTextSettings([['transfer', title]]).data?.transfer,
    updateTransfer.body!.parse({ title }).title,
    createInvitation.body!.parse({ title }).title,
    updateInvitation.body!.parse({ title }).title,
    createApiKey.body!.parse({ name: title }).name,
  ];
  for (const text of parsed) assert.equal(text, clean);
  const { message } = TransferSettings.parse({ message: 'Two\nlines' });
  assert.equal(message, 'Two\nlines', 'a message keeps its lines');
  assert.equal(TransferSettings.safeParse({ title: 'a\0b' }).success, false);
});
