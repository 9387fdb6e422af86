import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMail } from './layout.ts';

test('a code and a link have lines of their own in the plain text', () => {
  const { text } = renderMail({
    title: 'Your code',
    paragraphs: ['Please enter this code.', 'Thank you.'],
    code: '042137',
    button: { label: 'Open the page', url: 'https://example.org/verify-email' },
    footnote: 'It is valid for 15 minutes.',
  });
  const lines = text.split('\n');
  for (const line of ['Your code', 'Thank you.', '042137', 'https://example.org/verify-email']) {
    assert.ok(lines.includes(line), line);
  }
  assert.ok(lines.includes('It is valid for 15 minutes.'));
});

test('nothing a sender wrote becomes markup', () => {
  const evil = `<img src=x onerror="alert('1')">&amp;`;
  const { html } = renderMail({
    title: evil,
    paragraphs: [evil],
    code: evil,
    button: { label: evil, url: `https://example.org/"${evil}` },
    footnote: evil,
  });
  assert.doesNotMatch(html, /<img/);
  assert.doesNotMatch(html, /onerror="/);
  assert.match(html, /&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;amp;/);
  assert.match(html, /href="https:\/\/example\.org\/&quot;&lt;img/);
});

test('a line break in a message stays one', () => {
  assert.match(renderMail({ title: 'T', paragraphs: ['one\r\ntwo'] }).html, /one<br>two/);
});

test('what is not given leaves no trace', () => {
  const { text, html } = renderMail({ title: 'T', paragraphs: [] });
  assert.doesNotMatch(html, /<a |<p /);
  assert.doesNotMatch(text + html, /undefined/);
});
