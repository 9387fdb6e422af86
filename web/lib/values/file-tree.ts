import { i18n } from '../language/messages.tsx';
import { runAtOnce, sortInSteps } from './in-slices.ts';

/** One file to place; `path` is '/'-separated and ends with the name. */
export type FileTreeEntry<Value> = {
  path: string;
  sizeBytes: number;
  value: Value;
  /** Identifies the file in lists of changing length; its position by default. No slashes. */
  key?: string;
};

export type FileNode<Value> = {
  kind: 'file';
  /** Unique within the tree, also when two files share a path. */
  key: string;
  name: string;
  sizeBytes: number;
  value: Value;
};

export type FolderNode<Value> = {
  kind: 'folder';
  key: string;
  name: string;
  /** Of everything inside, at any depth. */
  sizeBytes: number;
  fileCount: number;
  children: TreeNode<Value>[];
};

type TreeNode<Value> = FileNode<Value> | FolderNode<Value>;

/** Top-level rows have depth 0. */
export type TreeRow<Value> = { node: TreeNode<Value>; depth: number };

const names = new Intl.Collator(i18n.locale, { numeric: true, sensitivity: 'base' });

/** Natural order: 'file2' before 'file10', ignoring case. */
export function compareNames(one: string, other: string): number {
  return names.compare(one, other);
}

/** Builds the root folder of these paths; in each folder folders come first, then files, both by name. */
export function buildFileTree<Value>(entries: FileTreeEntry<Value>[]): FolderNode<Value> {
  return runAtOnce(buildFileTreeInSteps(entries));
}

const ENTRIES_PER_STEP = 1_000;

/** `buildFileTree` for long lists, in slices so that the page stays responsive. */
export function* buildFileTreeInSteps<Value>(
  entries: FileTreeEntry<Value>[],
): Generator<void, FolderNode<Value>> {
  const root = newFolder<Value>('', '');
  const folders = new Map<string, FolderNode<Value>>([['', root]]);
  for (const [index, { path, sizeBytes, value, key }] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const segments = path.split('/').filter(Boolean);
    const name = segments.pop() ?? path;
    for (const folder of openFolders(folders, segments)) {
      folder.sizeBytes += sizeBytes;
      folder.fileCount += 1;
    }
    const parent = folders.get(folderKey(segments))!;
    parent.children.push({ kind: 'file', key: key ?? `${index}`, name, sizeBytes, value });
  }
  for (const folder of folders.values()) {
    folder.children = yield* sortInSteps(folder.children, compareNodes);
  }
  return root;
}

/** A flat list in the given order. */
export function buildFileList<Value>(entries: FileTreeEntry<Value>[]): FolderNode<Value> {
  const list = newFolder<Value>('', '');
  entries.forEach(({ path, sizeBytes, value, key }, index) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    list.sizeBytes += sizeBytes;
    list.fileCount += 1;
    list.children.push({ kind: 'file', key: key ?? `${index}`, name, sizeBytes, value });
  });
  return list;
}

export function listTreeFiles<Value>(folder: FolderNode<Value>): Value[] {
  return listTreeRows(folder, () => true).flatMap(({ node }) => (node.kind === 'file' ? [node.value] : []));
}

/** The visible rows from top to bottom; `isOpen` selects the expanded folders. */
export function listTreeRows<Value>(
  folder: FolderNode<Value>,
  isOpen: (folder: FolderNode<Value>) => boolean,
  depth = 0,
): TreeRow<Value>[] {
  const rows: TreeRow<Value>[] = [];
  for (const node of folder.children) {
    rows.push({ node, depth });
    if (node.kind === 'file' || !isOpen(node)) continue;
    // One by one: spreading a folder of 100,000 rows overflows the stack.
    for (const row of listTreeRows(node, isOpen, depth + 1)) rows.push(row);
  }
  return rows;
}

/** Small trees start expanded; large ones only if they have a single top folder. */
export function listFoldersOpenAtFirst<Value>(root: FolderNode<Value>, maxFiles = 40): Set<string> {
  const open = new Set<string>();
  const visit = (folder: FolderNode<Value>) => {
    const isAlone = folder.children.length === 1;
    for (const node of folder.children) {
      if (node.kind === 'file' || !(isAlone || root.fileCount <= maxFiles)) continue;
      open.add(node.key);
      visit(node);
    }
  };
  visit(root);
  return open;
}

/** Returns the root and each folder of the path; creates missing ones. */
function openFolders<Value>(
  folders: Map<string, FolderNode<Value>>,
  segments: string[],
): FolderNode<Value>[] {
  let parent = folders.get('')!;
  const way = [parent];
  segments.forEach((name, index) => {
    const key = folderKey(segments.slice(0, index + 1));
    let folder = folders.get(key);
    if (!folder) {
      folder = newFolder<Value>(key, name);
      folders.set(key, folder);
      parent.children.push(folder);
    }
    way.push(folder);
    parent = folder;
  });
  return way;
}

function newFolder<Value>(key: string, name: string): FolderNode<Value> {
  return { kind: 'folder', key, name, sizeBytes: 0, fileCount: 0, children: [] };
}

/** The closing slash keeps folders' keys apart from files', which are numbers. */
function folderKey(segments: string[]): string {
  return segments.map((segment) => `${segment}/`).join('');
}

function compareNodes<Value>(one: TreeNode<Value>, other: TreeNode<Value>): number {
  if (one.kind !== other.kind) return one.kind === 'folder' ? -1 : 1;
  return compareNames(one.name, other.name);
}
