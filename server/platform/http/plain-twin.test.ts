import assert from 'node:assert/strict';
import test from 'node:test';
import { findPlainTwin } from './plain-twin.ts';

const TOKEN = 'a'.repeat(26);
const RECIPIENT = 'b'.repeat(26);

test('a download page has a plain twin, which keeps the recipient', () => {
  assert.equal(findPlainTwin(`/download/${TOKEN}`), `/download/${TOKEN}/plain`);
  assert.equal(findPlainTwin(`/download/${TOKEN}/`), `/download/${TOKEN}/plain`);
  assert.equal(
    findPlainTwin(`/download/${TOKEN}?x=1&r=${RECIPIENT}`),
    `/download/${TOKEN}/plain?r=${RECIPIENT}`,
  );
});

test('nothing that is no token gets into the document', () => {
  for (const url of [
    '/',
    '/download/',
    `/download/${TOKEN}/more`,
    `/download/${TOKEN}x`,
    `/download/${TOKEN.toUpperCase()}`,
    '/download/"><script>alert(1)</script>',
  ])
    assert.equal(findPlainTwin(url), undefined, url);
  assert.equal(findPlainTwin(`/download/${TOKEN}?r="><script>`), `/download/${TOKEN}/plain`);
});
