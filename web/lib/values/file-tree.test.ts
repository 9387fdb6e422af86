import assert from 'node:assert/strict';
import { test } from 'vitest';
import {
  buildFileList,
  buildFileTree,
  type FolderNode,
  listFoldersOpenAtFirst,
  listTreeFiles,
  listTreeRows,
} from './file-tree.ts';

function treeOf(...paths: string[]): FolderNode<number> {
  return buildFileTree(paths.map((path, index) => ({ path, sizeBytes: 10, value: index })));
}

/** '  name' for each line, folders with a slash, two spaces per level. */
function draw(tree: FolderNode<number>, isOpen: (key: string) => boolean = () => true): string[] {
  return listTreeRows(tree, (folder) => isOpen(folder.key)).map(
    ({ node, depth }) => '  '.repeat(depth) + node.name + (node.kind === 'folder' ? '/' : ''),
  );
}

test('puts folders before files and sorts both by name, numbers by their value', () => {
  assert.deepEqual(draw(treeOf('take 10.mov', 'take 9.mov', 'b/x', 'A/y')), [
    'A/',
    '  y',
    'b/',
    '  x',
    'take 9.mov',
    'take 10.mov',
  ]);
});

test('a folder knows the files and bytes at every depth below it', () => {
  const tree = treeOf('film/cut/1.mov', 'film/cut/2.mov', 'film/notes.txt', 'alone.txt');
  assert.deepEqual([tree.fileCount, tree.sizeBytes], [4, 40]);
  const film = tree.children[0];
  assert.ok(film?.kind === 'folder');
  assert.deepEqual([film.fileCount, film.sizeBytes], [3, 30]);
});

test('a closed folder hides its content at any depth', () => {
  const tree = treeOf('a/b/1', 'a/2', 'c/3');
  assert.deepEqual(
    draw(tree, (key) => key === 'c/'),
    ['a/', 'c/', '  3'],
  );
});

test('two files with the same path both appear, with different keys', () => {
  const keys = listTreeRows(treeOf('a/1', 'a/1'), () => true).map(({ node }) => node.key);
  assert.equal(new Set(keys).size, 3);
});

test('a file and a folder may share a name, also one that objects have', () => {
  assert.deepEqual(draw(treeOf('constructor/1', 'constructor', '__proto__/2')), [
    '__proto__/',
    '  2',
    'constructor/',
    '  1',
    'constructor',
  ]);
});

test('small trees start expanded', () => {
  assert.deepEqual([...listFoldersOpenAtFirst(treeOf('a/b/1', 'c/2'), 2)], ['a/', 'a/b/', 'c/']);
});

test('a large tree expands only a single top folder', () => {
  const tree = treeOf('top/inner/1', 'top/inner/2', 'top/other/3');
  assert.deepEqual([...listFoldersOpenAtFirst(tree, 2)], ['top/']);
});

test('draws a hundred thousand files of one folder', () => {
  const tree = treeOf(...Array.from({ length: 100_000 }, (_, index) => `many/${index}`));
  assert.equal(listTreeRows(tree, () => true).length, 100_001);
});

test('a list without folders keeps the order it was given, and counts like a tree', () => {
  const list = buildFileList(['b/2.mov', 'a/1.mov'].map((path, value) => ({ path, sizeBytes: 10, value })));
  assert.deepEqual(draw(list), ['2.mov', '1.mov']);
  assert.deepEqual([list.fileCount, list.sizeBytes], [2, 20]);
});

test('lists the files of a tree from top to bottom, including those in closed folders', () => {
  assert.deepEqual(listTreeFiles(treeOf('z.txt', 'b/y.txt', 'a/x.txt')), [2, 1, 0]);
});

test('a file keeps the key it was given', () => {
  const [node] = buildFileTree([{ path: 'a.txt', sizeBytes: 1, value: 0, key: 'f1' }]).children;
  assert.equal(node?.key, 'f1');
});
