import type { TransferFile } from '../../../contracts/transfers.ts';
import { buildFileList, buildFileTree, compareNames, type FolderNode } from '../../lib/file-tree.ts';

/** How a list of files can be put in order; `folders` shows them where they lie. */
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

/** The orders that make a difference for these files, the first of them the usual one. */
export function listOrders(files: TransferFile[]): FileOrder[] {
  return hasFolders(files)
    ? ['folders', 'name', 'largest', 'smallest']
    : ['name', 'sent', 'largest', 'smallest'];
}

/** Files without folders are a list in every order. */
export function arrangeFiles(files: TransferFile[], order: FileOrder): FolderNode<TransferFile> {
  if (order === 'folders') return buildFileTree(files.map(toEntry));
  return buildFileList(files.toSorted(COMPARISONS[order]).map(toEntry));
}

/** The files whose path has every word of the search in it, without regard to case and accents. */
export function filterFiles(files: TransferFile[], search: string): TransferFile[] {
  const words = simplify(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return files;
  return files.filter((file) => {
    const path = simplify(pathOf(file));
    return words.every((word) => path.includes(word));
  });
}

/** The folder a file lies in, 'Photos/Beach'; '' outside folders. */
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
