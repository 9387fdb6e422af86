import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Contents by path below a folder. */
export type FileTree = Record<string, Buffer>;

export async function writeTree(folder: string, tree: FileTree): Promise<void> {
  for (const [path, bytes] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}

export async function readTree(folder: string): Promise<FileTree> {
  const entries = globSync('**', { cwd: folder, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
    ),
  );
}
