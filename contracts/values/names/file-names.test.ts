import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyCharacter, visibleCharacter } from '../../../testing/lib/any-text.ts';
import {
  isJunkFile,
  normaliseFileName,
  normalisePath,
  shortenFileName,
  splitFileName,
} from './file-names.ts';

test('names keep their Unicode', () => {
  for (const name of ['Grüße.txt', '写真.png', '😀 party.mov', 'a b (1).tar.gz', 'Ωmega'])
    assert.equal(normaliseFileName(name), name);
});

test('characters that could deceive or escape the folder are removed or replaced', () => {
  assert.equal(normaliseFileName('../../etc/passwd'), '.._.._etc_passwd');
  assert.equal(normaliseFileName('..\\..\\boot.ini'), '.._.._boot.ini');
  assert.equal(normaliseFileName('a\u202Egpj.exe'), 'agpj.exe');
  assert.equal(normaliseFileName('a\r\nb\0c'), 'abc');
  assert.equal(normaliseFileName('a\u2028b\u2029c'), 'abc');
  for (const name of ['', ' ', '.', '..', '...', '. .', ' .. ', '.\u202e.', '..\0'])
    assert.equal(normaliseFileName(name), 'unnamed', JSON.stringify(name));
  assert.equal(normaliseFileName('\uD800x'), '\uFFFDx');
});

test('leading dots are kept and trailing ones removed', () => {
  for (const name of ['.env', '.gitignore', '..data', '...and more'])
    assert.equal(normaliseFileName(name), name);
  assert.equal(normaliseFileName(' .hidden. '), '.hidden');
  assert.equal(normalisePath('.github/workflows/x.yml'), '.github/workflows/x.yml');
  assert.equal(normalisePath('./a/../.env'), 'a/.env');
  assert.equal(normalisePath('a/.. /.\u202e./b'), 'a/unnamed/unnamed/b');
});

test('a long name is cut between characters and keeps its extension', () => {
  const cut = normaliseFileName(`${'ü'.repeat(300)}.jpeg`);
  assert.ok(Buffer.byteLength(cut) <= 255);
  assert.match(cut, /^ü+\.jpeg$/);
});

test('any string becomes a name that can be stored, shown and zipped', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (name) => {
      const clean = normaliseFileName(name);
      assert.ok(clean.length > 0 && Buffer.byteLength(clean) <= 255 && clean.isWellFormed());
      assert.doesNotMatch(clean, /[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]|^ |[. ]$/u);
      assert.ok(clean !== '.' && clean !== '..');
      assert.equal(normaliseFileName(clean), clean);
    }),
  );
});

test('each segment of a path is normalised, and empty and dot segments are removed', () => {
  assert.equal(normalisePath('/photos//./2026/../img.jpg'), 'photos/2026/img.jpg');
  assert.equal(normalisePath('a\\b\\c.txt'), 'a/b/c.txt');
  assert.equal(normalisePath('../..'), 'unnamed');
});

test('a path too deep or too long is refused, not truncated', () => {
  assert.equal(normalisePath(`${'d/'.repeat(31)}f`)?.split('/').length, 32);
  assert.equal(normalisePath(`${'d/'.repeat(32)}f`), undefined);
  assert.equal(normalisePath(`${`${'d'.repeat(200)}/`.repeat(6)}f`), undefined);
});

test('junk files are recognized by name in any case', () => {
  assert.deepEqual(['.DS_Store', 'thumbs.db', '._photo.jpg', 'photo.jpg', 'Thumbs.dbx'].map(isJunkFile), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('a long name is cut in the middle and keeps its extension', () => {
  assert.equal(shortenFileName('short.pdf', 20), 'short.pdf');
  assert.equal(shortenFileName('Quarterly report, final version.pdf', 20), 'Quarterly…ersion.pdf');
  assert.equal(shortenFileName('no extension but very long', 12), 'no ex…y long');
  fc.assert(
    fc.property(fc.string({ unit: visibleCharacter }), fc.integer({ min: 3, max: 40 }), (name, most) => {
      const { stem, tail } = splitFileName(name);
      assert.equal(stem + tail, name);
      assert.ok([...shortenFileName(name, most)].length <= most);
    }),
  );
});
