import { isJunkFile } from '../../contracts/values/file-names.ts';

/** A file a person chose, with its place in the chosen folder. */
export type PickedFile = { file: File; relativePath: string };

/** What was chosen, and the handles by which the browser can open it again after a reload. */
export type Pick = { files: PickedFile[]; roots: FileSystemHandle[] };

type DirectoryHandle = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
type HandleItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** From `<input type="file">`, with or without `webkitdirectory`. Junk files are left out. */
export function readFileList(list: Iterable<File>): Pick {
  const files = [...list].map((file) => ({ file, relativePath: file.webkitRelativePath || file.name }));
  return { files: files.filter(isWanted), roots: [] };
}

/** From a drop: handles where the browser has them, else its older ways. To be called within the drop event. */
export async function readDrop(transfer: DataTransfer): Promise<Pick> {
  const items = [...transfer.items].filter((item) => item.kind === 'file') as HandleItem[];
  // All of it is asked for now: after the event the browser forgets what was dropped.
  const dropped = items.map((item) => ({
    handle: item.getAsFileSystemHandle?.().catch(() => null),
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  const picks = await Promise.all(dropped.map(openDropped));
  return { files: picks.flatMap(({ files }) => files), roots: picks.flatMap(({ roots }) => roots) };
}

type Dropped = {
  handle: Promise<FileSystemHandle | null> | undefined;
  entry: FileSystemEntry | null;
  file: File | null;
};

/** Places the browser guards have no handle, pictures dragged out of a page have no entry either. */
async function openDropped({ handle, entry, file }: Dropped): Promise<Pick> {
  const opened = await handle;
  if (opened) return readHandles([opened]);
  const files = entry ? await walkEntry(entry, '') : file ? [{ file, relativePath: file.name }] : [];
  return { files: files.filter(isWanted), roots: [] };
}

/** From handles: fresh ones of a picker, or those kept for resuming, whose permission must be granted. */
export async function readHandles(roots: FileSystemHandle[]): Promise<Pick> {
  const files = (await Promise.all(roots.map((root) => walkHandle(root, '')))).flat();
  return { files: files.filter(isWanted), roots };
}

async function walkHandle(handle: FileSystemHandle, folder: string): Promise<PickedFile[]> {
  const relativePath = folder + handle.name;
  if (handle.kind === 'file')
    return [{ file: await (handle as FileSystemFileHandle).getFile(), relativePath }];
  const files: PickedFile[] = [];
  for await (const child of (handle as DirectoryHandle).values()) {
    files.push(...(await walkHandle(child, `${relativePath}/`)));
  }
  return files;
}

async function walkEntry(entry: FileSystemEntry, folder: string): Promise<PickedFile[]> {
  const relativePath = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ file, relativePath }];
  }
  const children = await readAllEntries((entry as FileSystemDirectoryEntry).createReader());
  return (await Promise.all(children.map((child) => walkEntry(child, `${relativePath}/`)))).flat();
}

/** A reader gives a hundred at a time, and nothing when it is through. */
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

function isWanted({ file }: PickedFile): boolean {
  return !isJunkFile(file.name);
}
