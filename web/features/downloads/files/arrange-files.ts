import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import {
  buildFileList,
  buildFileTreeInSteps,
  compareNames,
  type FolderNode,
  listTreeFiles,
} from '../../../lib/values/file-tree.ts';
import { sortInSteps } from '../../../lib/values/in-slices.ts';

/** `folders` groups by folder. */
export type FileOrder = 'folders' | 'name' | 'largest' | 'smallest' | 'sent';

const COMPARISONS: Record<
  Exclude<FileOrder, 'folders'>,
  (one: TransferFile, other: TransferFile) => number
> = {
  name: (one, other) => compareNames(one.originalName, other.originalName),
  largest: (one, other) => other.size - one.size,
  smallest: (one, other) => one.size - other.size,
  sent: (one, other) => one.position - other.position,
};

/** The orders that differ for these files; the first is the default. */
export function listOrders(files: TransferFile[]): FileOrder[] {
  return hasFolders(files)
    ? ['folders', 'name', 'largest', 'smallest']
    : ['name', 'sent', 'largest', 'smallest'];
}

/** The matching files in their order. */
export type Arrangement = {
  order: FileOrder;
  tree: FolderNode<TransferFile>;
  /** From top to bottom, including those in closed folders. */
  shown: TransferFile[];
};

/** Filters and sorts files in steps of a few milliseconds. Files without folders are a flat list in every order. */
export function* arrangeFiles(
  files: TransferFile[],
  { search, order }: { search: string; order: FileOrder },
): Generator<void, Arrangement> {
  const found = yield* filterFiles(files, search);
  const tree =
    order === 'folders'
      ? yield* buildFileTreeInSteps(found.map(toEntry))
      : buildFileList((yield* sortInSteps(found, COMPARISONS[order])).map(toEntry));
  return { order, tree, shown: listTreeFiles(tree) };
}

const FILES_PER_STEP = 1_000;

/** Files whose path contains every word of the search, ignoring case and accents. */
function* filterFiles(files: TransferFile[], search: string): Generator<void, TransferFile[]> {
  const words = simplify(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return files;
  const found: TransferFile[] = [];
  for (const [index, file] of files.entries()) {
    if (index % FILES_PER_STEP === 0) yield;
    const path = simplify(pathOf(file));
    if (words.every((word) => path.includes(word))) found.push(file);
  }
  return found;
}

/** The folder of a file, 'Photos/Beach'; '' outside folders. */
export function folderOf(file: TransferFile): string {
  const path = pathOf(file);
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function hasFolders(files: TransferFile[]): boolean {
  return files.some((file) => folderOf(file) !== '');
}

function toEntry(file: TransferFile) {
  return { path: pathOf(file), sizeBytes: file.size, value: file, key: file.id };
}

function pathOf({ relativePath, originalName }: TransferFile): string {
  return relativePath || originalName;
}

function simplify(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
