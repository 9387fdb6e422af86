import assert from 'node:assert/strict';
import test from 'node:test';
import { isShare, parseChecksums, parseShare } from './share.ts';

const TOKEN = 'a'.repeat(26);

test('a share link can be a full URL, a URL without scheme or a bare token', () => {
  const plain = { server: 'https://send.example', token: TOKEN, recipientToken: undefined };
  assert.deepEqual(parseShare(`https://send.example/download/${TOKEN}`, undefined), plain);
  assert.deepEqual(parseShare(`send.example/download/${TOKEN}/plain`, undefined), plain);
  assert.deepEqual(parseShare(`https://send.example/api/download/${TOKEN}/all`, undefined), plain);
  assert.deepEqual(parseShare(TOKEN, 'https://send.example/'), plain);
  const own = parseShare(`https://send.example/sub/download/${TOKEN}?r=${'b'.repeat(26)}`, undefined);
  assert.deepEqual(own, { server: 'https://send.example/sub', token: TOKEN, recipientToken: 'b'.repeat(26) });
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
