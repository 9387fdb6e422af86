import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toOneLine, toSubject } from '../plain-text.ts';
import { wordingIn } from '../wording.ts';
import type { MailBlock, MailContent } from './content.ts';
import { renderMail } from './layout.ts';

const EVIL = `<img src=x onerror="alert('1')">&amp;`;

function blocksOf(text: string): MailBlock[] {
  return [
    { kind: 'text', text },
    { kind: 'quote', text, author: text },
    { kind: 'code', code: text },
    { kind: 'figure', value: text, caption: text },
    { kind: 'files', files: [{ name: text, sizeBytes: 1 }], fileCount: 1, totalBytes: 1 },
    { kind: 'facts', facts: [{ label: text, value: text }] },
    { kind: 'people', label: text, emails: [text] },
    { kind: 'button', label: text, url: `https://example.org/"${text}` },
    { kind: 'note', text },
  ];
}

function mailOf(blocks: MailBlock[], more: Partial<MailContent> = {}) {
  return renderMail(wordingIn(null), {
    preview: 'Preview',
    title: 'Title',
    blocks,
    reason: 'Because.',
    ...more,
  });
}

test('codes and links have lines of their own in the plain text, except the unsubscribe link', () => {
  const { text } = mailOf(
    [
      { kind: 'text', text: 'Please enter this code.' },
      { kind: 'code', code: '042137' },
      { kind: 'button', label: 'Open the page', url: 'https://example.org/verify-email' },
    ],
    { unsubscribe: { label: 'Get no more', url: 'https://example.org/unsubscribe/x' } },
  );
  const lines = text.split('\n');
  for (const line of [
    'Title',
    'Please enter this code.',
    '042137',
    'https://example.org/verify-email',
    'Because.',
  ])
    assert.ok(lines.includes(line), line);
  assert.ok(lines.includes('Get no more: https://example.org/unsubscribe/x'));
});

test('no text of a sender becomes markup', () => {
  const { html } = mailOf(blocksOf(EVIL), {
    preview: EVIL,
    title: EVIL,
    reason: EVIL,
    unsubscribe: { label: EVIL, url: `https://example.org/"${EVIL}` },
  });
  assert.doesNotMatch(html, /<img/);
  assert.doesNotMatch(html, /onerror="/);
  assert.match(html, /&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;amp;/);
  assert.match(html, /href="https:\/\/example\.org\/&quot;&lt;img/);
});

test('control characters and unusual line breaks are removed from both bodies', () => {
  const { html, text } = mailOf(blocksOf('a\u202Eb\u2066c\0d\u2028e\u0085f\u001bg\ud800h'), {
    title: 'T\u202E',
  });
  for (const body of [html, text]) {
    assert.doesNotMatch(body, /(?!\n)[\p{Cc}\u2028\u202E\u2066]/u);
    assert.ok(body.isWellFormed());
  }
  assert.match(html, /abcd<br>e<br>fg\ufffdh/);
  assert.match(text, /> abcd\n> e\n> fg\ufffdh/);
});

test('line breaks in a message are kept, and cannot end a quotation', () => {
  const { html, text } = mailOf([{ kind: 'quote', text: 'one\r\n\r\n042137', author: 'Frida' }]);
  assert.match(html, /one<br><br>042137/);
  assert.match(text, /Frida wrote:\n> one\n> \n> 042137/);
});

test('the first files are listed with sizes, the others counted', () => {
  const files = [{ name: 'a.pdf', sizeBytes: 2048 }];
  const { html, text } = mailOf([{ kind: 'files', files, fileCount: 1_201, totalBytes: 5 * 1024 ** 3 }]);
  for (const body of [html, text]) assert.match(body, /a\.pdf[\s\S]*2 KB[\s\S]*and 1,200 more[\s\S]*5 GB/);
  assert.doesNotMatch(mailOf([{ kind: 'files', files, fileCount: 1, totalBytes: 2048 }]).text, /more|Total/);
});

test('optional parts leave no trace when omitted', () => {
  const { text, html } = mailOf([]);
  assert.doesNotMatch(html, /<a /);
  assert.doesNotMatch(text + html, /undefined/);
});

test('the HTML loads nothing', () => {
  const { html } = mailOf(blocksOf('x'));
  assert.doesNotMatch(html, /<(img|link|script|iframe|object|svg|form)|url\(|@import|\bsrc=/);
});

test('a subject is one line of limited length that splits no character', () => {
  assert.equal(toSubject('Hello\r\nBcc: x@y.z\u2028\u202Eend'), 'Hello Bcc: x@y.z end');
  assert.equal([...toSubject('😀'.repeat(500))].length, 140);
  assert.ok(toSubject('😀'.repeat(500)).isWellFormed());
  assert.equal(toOneLine('short', 5), 'short');
  assert.equal(toOneLine('longer', 5), 'long…');
});
