import assert from 'node:assert/strict';
import { test } from 'vitest';
import { MOST_CLOSING, TargetFolder } from './folder.ts';

const FILES = Array.from({ length: 12 }, (_, index) => ({ path: `${index}.txt`, size: 5 }));

/** Files that are not complete exist without bytes. */
function folderWith(complete: ReadonlySet<string>): TargetFolder {
  const getFileHandle = async (name: string) => ({
    getFile: async () => ({ size: complete.has(name) ? 5 : 0 }),
  });
  return new TargetFolder({ getFileHandle } as unknown as FileSystemDirectoryHandle);
}

test('a save goes on at its first incomplete file, whichever of those after it were closed', async () => {
  for (let first = 0; first <= FILES.length; first += 1) {
    for (let closed = 0; closed < 2 ** MOST_CLOSING; closed += 1) {
      const isComplete = (index: number) =>
        index < first || (index > first && ((closed >> (index - first - 1)) & 1) === 1);
      const complete = FILES.filter((_, index) => isComplete(index)).map(({ path }) => path);
      assert.equal(await folderWith(new Set(complete)).countComplete(FILES), first, `${complete}`);
    }
  }
});

/** A folder in memory, in which names that end in `.local` are refused, as in Chromium. */
function refusingFolder(name: string, made: string[] = []): FileSystemDirectoryHandle {
  const children = new Map<string, unknown>();
  const find = (child: string, create: boolean | undefined, make: () => unknown) => {
    if (child.endsWith('.local')) throw new TypeError('Name is not allowed.');
    if (!children.has(child)) {
      if (!create) throw new DOMException('', 'NotFoundError');
      children.set(child, make());
      made.push(`${name}/${child}`);
    }
    return children.get(child);
  };
  const writable = { write: async () => {}, close: async () => {}, abort: async () => {} };
  const file = { createWritable: async () => writable, getFile: async () => ({ size: 5 }) };
  return {
    name,
    getDirectoryHandle: async (child: string, { create }: { create?: boolean } = {}) =>
      find(child, create, () => refusingFolder(`${name}/${child}`, made)),
    getFileHandle: async (child: string, { create }: { create?: boolean } = {}) =>
      find(child, create, () => file),
  } as unknown as FileSystemDirectoryHandle;
}

test('folders and files whose names the browser refuses get other names', async () => {
  const made: string[] = [];
  const parent = refusingFolder('picked', made);
  const folder = await TargetFolder.create(parent, 'host.local');
  const sink = await folder.open('app.local/settings.local');
  await sink.close();
  assert.deepEqual(made, [
    'picked/host.local_',
    'picked/host.local_/app.local_',
    'picked/host.local_/app.local_/settings.local_',
  ]);
  assert.equal(await folder.countComplete([{ path: 'app.local/settings.local', size: 5 }]), 1);
  assert.equal((await TargetFolder.create(parent, 'host.local')).name, 'picked/host.local (2)');
});
