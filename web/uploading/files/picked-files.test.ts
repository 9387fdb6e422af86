import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readDrop, readFileList } from './picked-files.ts';

function fileOf(name: string, webkitRelativePath = ''): File {
  return { name, webkitRelativePath, size: 1 } as File;
}

function handleOf(file: File): FileSystemFileHandle {
  return { kind: 'file', name: file.name, getFile: async () => file } as unknown as FileSystemFileHandle;
}

function folderHandleOf(name: string, children: FileSystemHandle[]): FileSystemHandle {
  return { kind: 'directory', name, values: () => children.values() } as unknown as FileSystemHandle;
}

function entryOf(file: File): FileSystemFileEntry {
  return {
    isFile: true,
    name: file.name,
    file: (done: (file: File) => void) => done(file),
  } as FileSystemFileEntry;
}

type Item = { handle?: () => Promise<FileSystemHandle | null>; entry?: FileSystemEntry; file?: File };

function dropOf(items: Item[]): DataTransfer {
  return {
    items: items.map(({ handle, entry, file }) => ({
      kind: 'file',
      ...(handle && { getAsFileSystemHandle: handle }),
      webkitGetAsEntry: () => entry ?? null,
      getAsFile: () => file ?? null,
    })),
  } as unknown as DataTransfer;
}

test('files of a selected folder keep their path, and junk files are left out', () => {
  const { files } = readFileList([
    fileOf('a.txt', 'trip/a.txt'),
    fileOf('.DS_Store', 'trip/.DS_Store'),
    fileOf('Thumbs.db', 'trip/raw/Thumbs.db'),
    fileOf('b.txt'),
  ]);
  assert.deepEqual(
    files.map(({ relativePath }) => relativePath),
    ['trip/a.txt', 'b.txt'],
  );
});

test('a dropped folder may have more files than a transfer', async () => {
  const file = handleOf(fileOf('a.txt'));
  const folder = folderHandleOf('trip', [folderHandleOf('raw', Array(150_000).fill(file))]);
  const { files } = await readDrop(dropOf([{ handle: async () => folder }]));
  assert.equal(files.length, 150_000);
});

test('a dropped folder is read recursively, and its handle is kept', async () => {
  const folder = folderHandleOf('trip', [
    handleOf(fileOf('a.txt')),
    folderHandleOf('raw', [handleOf(fileOf('b.txt')), handleOf(fileOf('.DS_Store'))]),
  ]);
  const pick = await readDrop(dropOf([{ handle: async () => folder }]));
  assert.deepEqual(
    pick.files.map(({ relativePath }) => relativePath),
    ['trip/a.txt', 'trip/raw/b.txt'],
  );
  assert.deepEqual(pick.roots, [folder]);
});

test('items without a handle are read with the older browser APIs', async () => {
  const guarded = { handle: () => Promise.reject(new Error('guarded')), entry: entryOf(fileOf('a.txt')) };
  const fromPage = { handle: async () => null, file: fileOf('picture.png') };
  const older = { entry: entryOf(fileOf('b.txt')) };
  const pick = await readDrop(dropOf([guarded, fromPage, older]));
  assert.deepEqual(
    pick.files.map(({ relativePath }) => relativePath),
    ['a.txt', 'picture.png', 'b.txt'],
  );
  assert.deepEqual(pick.roots, []);
});

test('what cannot be read is named, and the rest of the folder is picked', async () => {
  const fail = () => Promise.reject(new DOMException('', 'NotFoundError'));
  const link = { ...handleOf(fileOf('link')), getFile: fail } as unknown as FileSystemFileHandle;
  const junk = { ...handleOf(fileOf('.DS_Store')), getFile: fail } as unknown as FileSystemFileHandle;
  const locked = {
    ...folderHandleOf('locked', []),
    values: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
  } as unknown as FileSystemHandle;
  const folder = folderHandleOf('trip', [link, junk, locked, handleOf(fileOf('a.txt'))]);
  const entry = {
    isFile: true,
    name: 'b.txt',
    file: (_: unknown, refuse: (reason: unknown) => void) => refuse(new DOMException('', 'NotReadableError')),
  } as unknown as FileSystemFileEntry;
  const pick = await readDrop(dropOf([{ handle: async () => folder }, { entry }]));
  assert.deepEqual(
    pick.files.map(({ relativePath }) => relativePath),
    ['trip/a.txt'],
  );
  assert.deepEqual(pick.unreadable, ['trip/link', 'trip/locked/', 'b.txt']);
  assert.deepEqual(pick.roots, [folder]);
});
