import assert from 'node:assert/strict';
import test from 'node:test';
import { formatKey } from '../../encryption/link.ts';
import { isShare, parseChecksums, parseShare } from './share.ts';

const TOKEN = 'a'.repeat(26);

test('a share link can be a full URL, a URL without scheme or a bare token', () => {
  const plain = {
    server: 'https://send.example',
    token: TOKEN,
    recipientToken: undefined,
    linkSecret: undefined,
  };
  assert.deepEqual(parseShare(`https://send.example/download/${TOKEN}`, undefined), plain);
  assert.deepEqual(parseShare(`send.example/download/${TOKEN}/plain`, undefined), plain);
  assert.deepEqual(parseShare(`https://send.example/api/download/${TOKEN}/all`, undefined), plain);
  assert.deepEqual(parseShare(TOKEN, 'https://send.example/'), plain);
  const own = parseShare(`https://send.example/sub/download/${TOKEN}?r=${'b'.repeat(26)}`, undefined);
  assert.deepEqual(own, { ...plain, server: 'https://send.example/sub', recipientToken: 'b'.repeat(26) });
});

test('the link of an encrypted transfer has its key after # or, rewritten by a mail gateway, after %23', () => {
  const linkSecret = new Uint8Array(32).fill(7);
  const key = formatKey(linkSecret);
  const shared = { server: 'https://send.example', token: TOKEN, recipientToken: undefined, linkSecret };
  const own = { ...shared, recipientToken: 'b'.repeat(26) };
  for (const mark of ['#', '%23', '%2523']) {
    assert.deepEqual(parseShare(`https://send.example/e/${TOKEN}${mark}${key}`, undefined), shared);
    const link = `https://send.example/e/${TOKEN}?r=${own.recipientToken}${mark}${key}`;
    if (mark !== '%2523') assert.deepEqual(parseShare(link, undefined), own);
  }
  assert.deepEqual(parseShare(`${TOKEN}#${key}`, 'https://send.example'), shared);
  assert.ok(isShare(`send.example/e/${TOKEN}#${key}`));
  assert.throws(
    () => parseShare(`https://send.example/x#${key}`, undefined),
    (error: Error) => /not a share link/.test(error.message) && !error.message.includes(key),
  );
});

test('other texts are refused with a message', () => {
  for (const text of ['x', 'x y', 'https://send.example/', `https://send.example/download/${'A'.repeat(26)}`])
    assert.throws(() => parseShare(text, undefined), /link/);
  assert.deepEqual(
    [isShare(TOKEN), isShare('folder'), isShare(`https://x/download/${TOKEN}`)],
    [true, false, true],
  );
});

test('checksums are parsed in the format of sha256sum, with escaped names and damaged files', () => {
  const sum = 'ab'.repeat(32);
  const text = `${sum}  a b.txt\n\\${sum}  new\\nline\\\\x\n# damaged: lost.bin\n\nnonsense\n`;
  assert.deepEqual(parseChecksums(text), [
    { name: 'a b.txt', sha256: sum },
    { name: 'new\nline\\x', sha256: sum },
    { name: 'lost.bin', sha256: undefined },
  ]);
});
