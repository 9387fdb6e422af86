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
