import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { compareFiles, type KnownFile } from './compare-files.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function known(files: Record<string, string>): KnownFile[] {
  return Object.entries(files).map(([relativePath, text]) => ({
    id: `id of ${relativePath}`,
    relativePath,
    size: text.length,
    sha256: sha256(text),
  }));
}

async function compare(before: KnownFile[], after: Record<string, string>) {
  const hashed: string[] = [];
  const local = Object.entries(after).map(([relativePath, text]) => ({
    relativePath,
    size: text.length,
    text,
  }));
  const result = await compareFiles({
    known: before,
    local,
    hash: async ({ relativePath, text }) => {
      hashed.push(relativePath);
      return sha256(text);
    },
  });
  return { ...result, send: result.send.map(({ relativePath }) => relativePath), hashed };
}

test('only new and changed files are sent, and files are read only if a known one has their size', async () => {
  const before = known({ 'f/same': 'same!', 'f/changed': 'old', 'f/gone': 'x' });
  const { hashed, ...result } = await compare(before, {
    'f/same': 'same!',
    'f/changed': 'new text',
    'f/new': 'newest',
  });
  assert.deepEqual(result, {
    send: ['f/changed', 'f/new'],
    reused: [],
    removed: ['id of f/changed', 'id of f/gone'],
    unchanged: 1,
  });
  assert.deepEqual(hashed, ['f/same']);
});

test('moved, copied and swapped files are reused', async () => {
  const before = known({ 'f/a': 'first', 'f/b': 'second', 'f/c': 'third!' });
  const result = await compare(before, {
    'f/a': 'second',
    'f/b': 'first',
    'f/d/e': 'third!',
    'f/c': 'third!',
  });
  assert.deepEqual(result.send, []);
  assert.deepEqual(result.reused, [
    { fileId: 'id of f/b', relativePath: 'f/a' },
    { fileId: 'id of f/a', relativePath: 'f/b' },
    { fileId: 'id of f/c', relativePath: 'f/d/e' },
  ]);
  assert.deepEqual(result.removed, ['id of f/a', 'id of f/b']);
  assert.equal(result.unchanged, 1);
});

test('missing files are removed only from the folders that were chosen', async () => {
  const before = known({ 'f/a': 'a', 'g/b': 'b', 'report.txt': 'old', 'other.txt': 'c' });
  assert.deepEqual((await compare(before, { 'f/z': 'longer' })).removed, ['id of f/a']);
  assert.deepEqual((await compare(before, { 'report.txt': 'new!' })).removed, ['id of report.txt']);
});

test('a file is compared under the name that the server keeps, and sent again without a checksum', async () => {
  const [file] = known({ 'f/a_b': 'text' });
  assert.equal((await compare([file!], { 'f/./a_b': 'text' })).unchanged, 1);
  const unchecked = { ...file!, sha256: null };
  assert.deepEqual((await compare([unchecked], { 'f/a_b': 'text' })).send, ['f/a_b']);
});
