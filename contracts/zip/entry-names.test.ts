import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nameEntries } from './entry-names.ts';

const name = (...paths: string[]) => nameEntries(paths.map((path) => ({ path })));

test('harmless names stay as they are', () => {
  const paths = ['a.txt', 'Фото/été 2024/日本.jpg', 'b/c', '.profile', 'archive.tar.gz', '👨‍👩‍👧.png'];
  assert.deepEqual(name(...paths), paths);
});

test('names that would leave the folder or disguise themselves are made harmless', () => {
  const cases: [string, string][] = [
    ['../../etc/passwd', 'etc/passwd'],
    ['/etc/passwd', 'etc/passwd'],
    ['a/./b//c/../d', 'a/b/c/d'],
    ['..\\..\\evil.exe', '.._.._evil.exe'],
    ['.. /. /x', 'x'],
    ['.../x', 'x'],
    ['C:/Windows/x', 'C_/Windows/x'],
    ['C:evil', 'C_evil'],
    ['a/12:30.txt', 'a/12:30.txt'],
    ['a\u0000b\r\nc\u0085', 'a_b__c_'],
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['lone\ud800.txt', 'lone\ufffd.txt'],
    ['', 'unnamed'],
    ['../..', 'unnamed'],
  ];
  for (const [path, expected] of cases) assert.deepEqual(name(path), [expected], JSON.stringify(path));
});

test('equal names are numbered before the extension, whatever their case or Unicode form', () => {
  assert.deepEqual(name('a.txt', 'a.txt', 'A.TXT'), ['a.txt', 'a (2).txt', 'A (3).TXT']);
  assert.deepEqual(name('x', 'x', '.env', '.env'), ['x', 'x (2)', '.env', '.env (2)']);
  assert.deepEqual(name('caf\u00e9', 'cafe\u0301'), ['caf\u00e9', 'cafe\u0301 (2)']);
  assert.deepEqual(name('d/a.txt', 'e/a.txt'), ['d/a.txt', 'e/a.txt']);
});

test('numbers are not used twice, and a file already named like one keeps its name', () => {
  assert.deepEqual(name('a.txt', 'a.txt', 'a (2).txt'), ['a.txt', 'a (3).txt', 'a (2).txt']);
});

test('a file named like a folder is numbered, the folder keeps its name', () => {
  assert.deepEqual(name('docs', 'Docs/a.txt'), ['docs (2)', 'Docs/a.txt']);
  assert.deepEqual(name('docs', 'docs (2)/x/a', 'docs/b'), ['docs (3)', 'docs (2)/x/a', 'docs/b']);
});

test('a part longer than 255 bytes loses whole characters of its stem', () => {
  const [cut] = name(`${'é'.repeat(200)}.jpeg`);
  assert.equal(cut, `${'é'.repeat(125)}.jpeg`);
  const [first, second] = name(`${'x'.repeat(300)}.txt`, `${'x'.repeat(300)}.txt`);
  assert.equal(Buffer.byteLength(first!), 255);
  assert.match(second!, /^x{239} \(2\)\.txt$/);
});

test('a path too deep for any system loses its outer folders', () => {
  const [path] = name(`${'folder/'.repeat(2000)}a.txt`);
  assert.ok(Buffer.byteLength(path!) <= 4096);
  assert.match(path!, /^folder\/.*\/a\.txt$/);
});

test('every name is relative, clean, short and unique, whatever the input', () => {
  const alphabet = fc.constantFrom(
    'a',
    'A',
    'b',
    '.',
    '..',
    ' ',
    '/',
    '\\',
    ' (2)',
    '\u202e',
    'ü',
    '😀',
    'x'.repeat(300),
  );
  const path = fc.array(alphabet, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(fc.oneof(path, fc.string()), { maxLength: 40 }), (paths) => {
      const names = name(...paths);
      assert.equal(names.length, paths.length);
      const keys = new Set(names.map((each) => each.normalize('NFC').toLowerCase()));
      assert.equal(keys.size, names.length, 'unique');
      for (const each of names) {
        assert.doesNotMatch(each, /[\\\p{Cc}\u202a-\u202e]/u);
        for (const part of each.split('/')) {
          assert.doesNotMatch(part, /^[. ]*$/);
          assert.ok(Buffer.byteLength(part) <= 255);
        }
        for (let end = each.indexOf('/'); end > 0; end = each.indexOf('/', end + 1)) {
          assert.ok(
            !keys.has(each.slice(0, end).normalize('NFC').toLowerCase()),
            'no file where a folder is',
          );
        }
      }
    }),
  );
});

test('100,000 equal or nearly equal long names take linear time', { timeout: 20_000 }, () => {
  assert.equal(new Set(name(...Array<string>(100_000).fill('a.txt'))).size, 100_000);
  const long = Array.from({ length: 100_000 }, (_, index) => `${'x'.repeat(245)}${index >> 1}`);
  assert.equal(new Set(name(...long)).size, 100_000);
});
