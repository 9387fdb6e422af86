import { isJunkFile } from '../../../contracts/values/names/file-names.ts';
import { collectDropped, type DroppedItem } from './dropped-items.ts';

/** A selected file with its path in the selected folder. */
export type PickedFile = { file: File; relativePath: string };

/** Selected files, and the handles that reopen them after a reload. */
export type FilePick = {
  files: PickedFile[];
  roots: FileSystemHandle[];
  /** Paths of files and folders that the browser may not read or no longer finds. Those of folders end in a slash. */
  unreadable?: string[];
};

type Found = { files: PickedFile[]; unreadable: string[] };

type DirectoryHandle = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };

/** Reads `<input type="file">`, with or without `webkitdirectory`. Leaves out junk files. */
export function readFileList(list: Iterable<File>): FilePick {
  const files = [...list].map((file) => ({ file, relativePath: file.webkitRelativePath || file.name }));
  return { files: files.filter(isWanted), roots: [] };
}

/** Reads dropped files and folders. Must be called within the drop event. */
export function readDrop(transfer: DataTransfer): Promise<FilePick> {
  return readDropped(collectDropped(transfer));
}

/** Reads what the drop event has collected. */
export async function readDropped(dropped: DroppedItem[]): Promise<FilePick> {
  const picks = await Promise.all(dropped.map(openDropped));
  return {
    files: picks.flatMap(({ files }) => files),
    roots: picks.flatMap(({ roots }) => roots),
    unreadable: picks.flatMap(({ unreadable = [] }) => unreadable),
  };
}

async function openDropped({ handle, entry, file }: DroppedItem): Promise<FilePick> {
  const opened = await handle;
  if (opened) return readHandles([opened]);
  const found: Found = { files: [], unreadable: [] };
  if (entry) await walkEntry(entry, '', found);
  else if (file) found.files.push({ file, relativePath: file.name });
  return { ...withoutJunk(found), roots: [] };
}

/** Reads handles, whose permission must have been granted. */
async function readHandles(roots: FileSystemHandle[]): Promise<FilePick> {
  const found: Found = { files: [], unreadable: [] };
  for (const root of roots) await walkHandle(root, '', found);
  return { ...withoutJunk(found), roots };
}

async function walkHandle(handle: FileSystemHandle, folder: string, found: Found): Promise<void> {
  const relativePath = folder + handle.name;
  if (handle.kind === 'file')
    await orUnreadable(relativePath, found, async () => {
      found.files.push({ file: await (handle as FileSystemFileHandle).getFile(), relativePath });
    });
  else
    await orUnreadable(`${relativePath}/`, found, async () => {
      for await (const child of (handle as DirectoryHandle).values())
        await walkHandle(child, `${relativePath}/`, found);
    });
}

async function walkEntry(entry: FileSystemEntry, folder: string, found: Found): Promise<void> {
  const relativePath = folder + entry.name;
  if (entry.isFile)
    await orUnreadable(relativePath, found, async () => {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      found.files.push({ file, relativePath });
    });
  else
    await orUnreadable(`${relativePath}/`, found, async () => {
      for (const child of await readAllEntries((entry as FileSystemDirectoryEntry).createReader()))
        await walkEntry(child, `${relativePath}/`, found);
    });
}

/** A link that leads nowhere, for example, does not keep the rest of its folder from being sent. */
async function orUnreadable(path: string, found: Found, read: () => Promise<void>): Promise<void> {
  await read().catch(() => found.unreadable.push(path));
}

/** Readers return up to 100 entries at a time, and none at the end. */
async function readAllEntries(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function withoutJunk({ files, unreadable }: Found): Found {
  return {
    files: files.filter(isWanted),
    unreadable: unreadable.filter((path) => !isJunkFile(path.slice(path.lastIndexOf('/') + 1))),
  };
}

function isWanted({ file }: PickedFile): boolean {
  return !isJunkFile(file.name);
}

type Pickers = {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemHandle[]>;
  showDirectoryPicker?(options: { mode: 'read' }): Promise<FileSystemHandle>;
};

export type PickKind = 'files' | 'folder';

/**
 * Opens the browser's picker that returns handles. Resolves to 'unavailable' if the browser has none, to undefined if
 * nothing was selected.
 */
export async function pickWithHandles(kind: PickKind): Promise<FilePick | 'unavailable' | undefined> {
  const { showOpenFilePicker, showDirectoryPicker } = window as Pickers;
  const open =
    kind === 'files'
      ? showOpenFilePicker?.bind(window, { multiple: true })
      : showDirectoryPicker?.bind(window, { mode: 'read' });
  if (!open) return 'unavailable';
  try {
    return await readHandles([await open()].flat());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // For instance in a frame of another site.
    if (error instanceof DOMException && error.name === 'SecurityError') return 'unavailable';
    throw error;
  }
}

type AskableHandle = FileSystemHandle & {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
};

/** Whether all handles can be read without asking for permission. */
export async function canReopen(roots: FileSystemHandle[]): Promise<boolean> {
  const states = await Promise.all(
    (roots as AskableHandle[]).map((root) => root.queryPermission?.({ mode: 'read' })),
  );
  return roots.length > 0 && states.every((state) => state === 'granted');
}

/** Reopens the files, asking for permission if needed (only within a click). Undefined if it is denied or all are gone. */
export async function reopenFiles(roots: FileSystemHandle[]): Promise<FilePick | undefined> {
  for (const root of roots as AskableHandle[]) {
    const state = await root.requestPermission?.({ mode: 'read' });
    if (state !== 'granted') return undefined;
  }
  const pick = await readHandles(roots);
  return pick.files.length > 0 ? pick : undefined;
}
