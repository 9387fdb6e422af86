import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { html } from './html.ts';

test('values in a page are escaped, between tags and in attributes', () => {
  const { markup } = html`<a title="${`"><b>&'`}">${'<script>alert(1)</script>'}</a>${3}`;
  assert.equal(markup, '<a title="&quot;&gt;&lt;b&gt;&amp;&#39;">&lt;script&gt;alert(1)&lt;/script&gt;</a>3');
});

test('nested markup is not escaped again', () => {
  const items = ['<', '&'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${items}</ul>`.markup, '<ul><li>&lt;</li><li>&amp;</li></ul>');
});

test('no text can open or close a tag', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.doesNotMatch(html`${text}`.markup, /[<>"']/)));
});
