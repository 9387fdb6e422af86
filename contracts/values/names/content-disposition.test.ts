import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter, visibleCharacter } from '../../../testing/lib/any-text.ts';
import { contentDisposition } from './content-disposition.ts';

test('names are sent as an ASCII approximation and exactly', () => {
  const cases: [string, string, string][] = [
    ['report.pdf', 'report.pdf', 'report.pdf'],
    ['my file (1).txt', 'my file (1).txt', 'my%20file%20%281%29.txt'],
    ['Größe – été.txt', 'Gro_e _ ete.txt', 'Gr%C3%B6%C3%9Fe%20%E2%80%93%20%C3%A9t%C3%A9.txt'],
    ['日本😀.zip', '___.zip', '%E6%97%A5%E6%9C%AC%F0%9F%98%80.zip'],
    ['a"b\\c/d.txt', 'a_b_c_d.txt', 'a%22b_c_d.txt'],
    ['100%41.txt', '100_41.txt', '100%2541.txt'],
    ["it's *.txt", "it's *.txt", 'it%27s%20%2A.txt'],
    ['x\r\nSet-Cookie: a=b', 'x__Set-Cookie: a=b', 'x__Set-Cookie%3A%20a%3Db'],
    ['lone\ud800', 'lone_', 'lone%EF%BF%BD'],
    ['', 'download', 'download'],
  ];
  for (const [name, ascii, extended] of cases) {
    assert.equal(contentDisposition(name), `attachment; filename="${ascii}"; filename*=UTF-8''${extended}`);
  }
});

test('inline is sent when requested', () => {
  assert.match(contentDisposition('a.png', 'inline'), /^inline; filename="a.png"; /);
});

test('no name breaks out of the header', () => {
  const anyName = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: visibleCharacter }),
    fc.string(),
  );
  const shape =
    /^attachment; filename="[^"\\%/]*"; filename\*=UTF-8''(?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})+$/;
  fc.assert(
    fc.property(anyName, (name) => {
      const header = contentDisposition(name);
      assert.match(header, shape);
      assert.match(header, /^[ -~]*$/);
    }),
  );
});
