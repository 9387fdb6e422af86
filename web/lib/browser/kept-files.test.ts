import assert from 'node:assert/strict';
import { beforeEach, onTestFinished, test, vi } from 'vitest';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import { discardKeptFiles, findKeptFiles, keepFiles, takeKeptFiles } from './kept-files.ts';

const choose = (...paths: string[]) => ({
  files: paths.map((relativePath) => ({
    file: new File(['x'], relativePath.split('/').at(-1)!),
    relativePath,
  })),
  roots: [],
});

beforeEach(keepDatabasesInMemory);

test('several choices wait together and are taken once, with their paths', async () => {
  await keepFiles(choose('tour/a.jpg', 'tour/b.jpg'));
  await keepFiles(choose('c.pdf', 'd.pdf'));
  assert.deepEqual(await findKeptFiles(), { count: 4, names: ['a.jpg', 'b.jpg', 'c.pdf'] });
  const taken = [...(await takeKeptFiles()), ...(await takeKeptFiles())];
  const paths = taken.flatMap(({ files }) => files.map(({ relativePath }) => relativePath));
  assert.deepEqual(paths, ['tour/a.jpg', 'tour/b.jpg', 'c.pdf', 'd.pdf']);
  assert.equal(await findKeptFiles(), undefined);
});

test('discarded files are gone', async () => {
  await keepFiles(choose('a.jpg'));
  await discardKeptFiles();
  assert.equal(await findKeptFiles(), undefined);
  assert.deepEqual(await takeKeptFiles(), []);
});

test('files wait for a day', async () => {
  await keepFiles(choose('a.jpg'));
  const now = Date.now() + DAY_MS;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
  assert.equal(await findKeptFiles(), undefined);
  assert.deepEqual(await takeKeptFiles(), []);
});

test('a large choice is kept as file handles where the browser has them', async () => {
  const [big] = choose('film.mov').files;
  Object.defineProperty(big!.file, 'size', { value: 2 * 1024 ** 3 });
  const handle = { name: 'film.mov' } as FileSystemHandle;
  await keepFiles({ files: [big!], roots: [handle] });
  assert.deepEqual(await findKeptFiles(), { count: 1, names: ['film.mov'] });
  const [byHandle] = await takeKeptFiles();
  assert.deepEqual([byHandle!.files, byHandle!.roots], [[], [handle]]);
  await keepFiles({ files: [big!], roots: [] });
  const [copied] = await takeKeptFiles();
  assert.equal(copied!.files[0]!.file, big!.file);
});

test('without storage nothing waits, and keeping reports it', async () => {
  Object.assign(globalThis.indexedDB, {
    open: () => {
      const request: { onerror?(): void } = {};
      queueMicrotask(() => request.onerror?.());
      return request;
    },
  });
  assert.equal(await findKeptFiles(), undefined);
  assert.deepEqual(await takeKeptFiles(), []);
  await assert.rejects(keepFiles(choose('a.jpg')));
});
