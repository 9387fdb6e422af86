import { isJunkFile } from '../../../contracts/names.ts';

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

/** From a drop: handles where the browser has them, else its older entries. To be called within the drop event. */
export async function readDrop(transfer: DataTransfer): Promise<Pick> {
  const items = [...transfer.items].filter((item) => item.kind === 'file') as HandleItem[];
  if (items[0]?.getAsFileSystemHandle) {
    const handles = await Promise.all(items.map((item) => item.getAsFileSystemHandle!()));
    return readHandles(handles.filter((handle) => handle !== null));
  }
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = (await Promise.all(entries.map((entry) => walkEntry(entry, '')))).flat();
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
