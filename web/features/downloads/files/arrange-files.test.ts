import assert from 'node:assert/strict';
import { test } from 'vitest';
import { runAtOnce } from '../../../lib/values/in-slices.ts';
import { fileNamed } from '../../../testing/file-named.ts';
import { arrangeFiles, type FileOrder, folderOf, listOrders } from './arrange-files.ts';

const FLAT = [
  fileNamed('take 10.mov', { size: 5, position: 0 }),
  fileNamed('Take 9.mov', { size: 7, position: 1 }),
  fileNamed('été.jpg', { size: 6, position: 2 }),
];
const NESTED = [
  fileNamed('z.txt', { size: 1 }),
  fileNamed('Photos/a.jpg', { size: 9 }),
  fileNamed('Photos/Beach/b.jpg', { size: 3 }),
];

function namesIn(order: FileOrder, files = FLAT): string[] {
  return runAtOnce(arrangeFiles(files, { search: '', order })).shown.map(({ originalName }) => originalName);
}

test('files without folders are listed by name, as sent, or by size', () => {
  assert.deepEqual(listOrders(FLAT), ['name', 'sent', 'largest', 'smallest']);
  assert.deepEqual(namesIn('name'), ['été.jpg', 'Take 9.mov', 'take 10.mov']);
  assert.deepEqual(namesIn('sent'), ['take 10.mov', 'Take 9.mov', 'été.jpg']);
  assert.deepEqual(namesIn('largest'), ['Take 9.mov', 'été.jpg', 'take 10.mov']);
  assert.deepEqual(namesIn('smallest'), ['take 10.mov', 'été.jpg', 'Take 9.mov']);
});

test('files in folders are shown where they lie unless another order is wanted', () => {
  assert.equal(listOrders(NESTED)[0], 'folders');
  assert.deepEqual(namesIn('folders', NESTED), ['b.jpg', 'a.jpg', 'z.txt']);
  assert.deepEqual(namesIn('largest', NESTED), ['a.jpg', 'b.jpg', 'z.txt']);
  assert.deepEqual(NESTED.map(folderOf), ['', 'Photos', 'Photos/Beach']);
});

test('a filter finds every word anywhere in the path, whatever case and accents', () => {
  const found = (search: string) =>
    runAtOnce(arrangeFiles([...FLAT, ...NESTED], { search, order: 'sent' })).shown.map(
      ({ originalName }) => originalName,
    );
  assert.deepEqual(found('ETE'), ['été.jpg']);
  assert.deepEqual(found('jpg beach'), ['b.jpg']);
  assert.deepEqual(found('photos'), ['a.jpg', 'b.jpg']);
  assert.equal(found('  ').length, 6);
  assert.deepEqual(found('elephant'), []);
});
