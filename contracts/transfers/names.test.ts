import assert from 'node:assert/strict';
import test from 'node:test';
import { nameTransfer, nameZip } from './names.ts';

const files = { firstFileName: 'Harbor.jpg', fileCount: 2 };

test('a transfer is named by its title, or by its files', () => {
  assert.equal(nameTransfer({ title: 'Holiday film', ...files }), 'Holiday film');
  for (const title of [null, undefined, ''])
    assert.equal(nameTransfer({ title, ...files }), 'Harbor.jpg + 1');
  assert.equal(nameTransfer({ title: null, ...files, fileCount: 1 }), 'Harbor.jpg');
  assert.equal(nameTransfer({ title: null, ...files, fileCount: 1_201 }), 'Harbor.jpg + 1,200');
});

test('a long file name keeps its beginning and its extension', () => {
  const name = nameTransfer({ firstFileName: `${'harbor '.repeat(30)}final.jpg`, fileCount: 3 });
  assert.match(name, /^harbor .*….*final\.jpg \+ 2$/);
  assert.ok(name.length < 90, name);
});

test('while file names must not show, it is named by their number', () => {
  assert.equal(nameTransfer({ title: null, fileCount: 1 }), '1 file for you');
  assert.equal(nameTransfer({ title: '', fileCount: 1_200 }), '1,200 files for you');
  assert.equal(nameTransfer({ title: null, fileCount: 0 }), 'Untitled transfer');
});

test('an encrypted transfer is named by what it is', () => {
  assert.equal(nameTransfer({ title: null, fileCount: 2, encryption: '{}' }), 'Encrypted transfer');
  assert.equal(nameZip({ fileCount: 2, encryption: {} }), 'Encrypted transfer.zip');
  assert.equal(nameTransfer({ ...files, encryption: null }), 'Harbor.jpg + 1');
});

test('the zip is named like the transfer', () => {
  assert.equal(nameZip({ title: 'Ads 1/2', ...files }), 'Ads 1_2.zip');
  assert.equal(nameZip(files), 'Harbor.jpg + 1.zip');
});
