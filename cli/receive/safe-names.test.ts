import assert from 'node:assert/strict';
import { isAbsolute, join, normalize } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { nameEntries } from '../../contracts/zip/entry-names.ts';
import { anyCharacter } from '../../testing/lib/any-text.ts';
import { listSpecialNames, safeNames } from './safe-names.ts';

const HOSTILE = [
  '..',
  '.',
  '',
  'a',
  'A',
  'con',
  'CON.txt',
  'a:b',
  'C:',
  '\\',
  '...',
  'a.',
  'x ',
  '\u202egnp',
  '\0',
  'é',
  'e\u0301',
];
const path = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: anyCharacter, maxLength: 8 })), {
    maxLength: 5,
  })
  .map((parts) => parts.join('/'));

test('names stay inside the folder and are unique, and none is a folder of another', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), fc.boolean(), (paths, isWindows) => {
      const names = safeNames(paths, { isWindows });
      const keys = names.map((name) => name.normalize('NFC').toLowerCase());
      assert.equal(new Set(keys).size, paths.length);
      for (const name of names) {
        assert.ok(!isAbsolute(name) && !normalize(join('/root', name)).includes('..'));
        assert.ok(normalize(join('/root', name)).startsWith('/root/'));
        assert.equal(normalize(name), name);
        assert.doesNotMatch(name, /[\\\0\n\u202e]/);
        assert.ok(!keys.some((key) => key.startsWith(`${name.normalize('NFC').toLowerCase()}/`)));
      }
    }),
  );
});

test("names from the server's zip and SHA256SUMS are unchanged", () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      const named = nameEntries(paths.map((each) => ({ path: each })));
      assert.deepEqual(safeNames(named, { isWindows: false }), named);
    }),
  );
});

test('for Windows, device names, forbidden characters and trailing dots and spaces are replaced', () => {
  const names = ['con', 'aux.tar.gz', 'COM1.txt', 'comma.txt', 'a<b>:"|?*c', 'dir./end ', 'nul/x'];
  assert.deepEqual(safeNames(names, { isWindows: true }), [
    '_con',
    '_aux.tar.gz',
    '_COM1.txt',
    'comma.txt',
    'a_b______c',
    'dir_/end_',
    '_nul/x',
  ]);
});

test('hidden names at the root and names of Windows devices are special', () => {
  const names = ['.env', '.github/x', 'a/.env', 'nul', 'a/COM1.txt', 'comma.txt', 'console', 'a.con'];
  assert.deepEqual(listSpecialNames(names), ['.env', '.github/x', 'nul', 'a/COM1.txt']);
  assert.deepEqual(listSpecialNames(safeNames(['nul', 'a/COM1.txt'], { isWindows: true })), []);
});

test('equal names are numbered, ignoring case', () => {
  assert.deepEqual(safeNames(['a.txt', 'A.TXT', 'a.txt', 'a (2).txt', 'd', 'd/x'], { isWindows: false }), [
    'a.txt',
    'A (3).TXT',
    'a (4).txt',
    'a (2).txt',
    'd (2)',
    'd/x',
  ]);
});
