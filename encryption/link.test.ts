import assert from 'node:assert/strict';
import test from 'node:test';
import { randomBytes } from './bytes.ts';
import { encryptedLink, formatKey, parseKey } from './link.ts';

const secret = randomBytes(32);
const key = formatKey(secret);

test('links have the key in the fragment, and the recipient before it', () => {
  assert.equal(encryptedLink('https://a.example/', 'tok', secret), `https://a.example/e/tok#${key}`);
  assert.equal(
    encryptedLink('https://a.example', 'tok', secret, 'r1'),
    `https://a.example/e/tok?r=r1#${key}`,
  );
});

test('the key is found alone, in links, and where gateways rewrote or wrapped them', () => {
  const link = encryptedLink('https://a.example', 'tok', secret, 'r1');
  const texts = [
    key,
    `#${key}`,
    ` ${link}\n`,
    `<${link}>.`,
    link.replace('#', '%23'),
    link.replace('#', '%2523'),
    `https://safe.example/?url=${encodeURIComponent(link)}&data=1.x`,
    `${link}?utm_source=mail`,
  ];
  for (const text of texts) assert.deepEqual(parseKey(text), secret, text);
});

test('anything else is no key', () => {
  const texts = [
    '',
    '1.',
    key.slice(0, -1),
    `${key}A`,
    `2${key.slice(1)}`,
    `x${key}`,
    'https://a.example/e/tok',
  ];
  for (const text of texts) assert.equal(parseKey(text), undefined, text);
  assert.equal(parseKey(`1.${'A'.repeat(42)}B`), undefined, 'bits beyond 32 bytes');
});
