import { freeBytes } from '../../../../encryption/bytes.ts';
import { type Sink, writing } from './sink.ts';

/** In the origin's private file system. Nothing of it is visible until it is handed over. */
const FOLDER = 'encrypted-saves';

export type StagedSink = Sink & {
  /** From an earlier attempt. */
  savedBytes: number;
  /** Must precede the first write. */
  truncate(sizeBytes: number): void;
};

/** In workers only. `name` identifies content and form of what is saved. */
export async function openStagedSink(name: string): Promise<StagedSink> {
  const handle = await writing(async () => {
    const folder = await openFolder();
    const file = await folder.getFileHandle(name, { create: true });
    return file.createSyncAccessHandle();
  });
  const savedBytes = handle.getSize();
  let end = savedBytes;
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    handle.close();
  };
  return {
    savedBytes,
    truncate: (sizeBytes) => {
      handle.truncate(sizeBytes);
      end = sizeBytes;
    },
    write: (bytes) =>
      writing(async () => {
        for (let written = 0; written < bytes.length; )
          written += handle.write(bytes.subarray(written), { at: end + written });
        end += bytes.length;
        freeBytes(bytes);
      }),
    close: () =>
      writing(async () => {
        const size = handle.getSize();
        close();
        if (size !== end) throw new Error(`${size} bytes instead of ${end}`);
      }),
    // What is there was opened and proved, so that the next attempt can go on.
    abort: async () => close(),
  };
}

/** Private windows have the calls, but refuse them. */
export async function canStage(): Promise<boolean> {
  try {
    const name = `probe-${crypto.randomUUID()}`;
    const sink = await openStagedSink(name);
    await sink.close();
    await removeStaged(name);
    return true;
  } catch {
    return false;
  }
}

/** On the page. */
export async function readStaged(name: string): Promise<File> {
  return (await (await openFolder()).getFileHandle(name)).getFile();
}

export async function removeStaged(name: string): Promise<void> {
  await (await openFolder()).removeEntry(name).catch(() => undefined);
}

/** Names and times (epoch milliseconds) of everything staged. */
export async function listStaged(): Promise<{ name: string; changedAt: number }[]> {
  const folder = await openFolder();
  const found: { name: string; changedAt: number }[] = [];
  for await (const [name, handle] of (folder as unknown as Entries).entries()) {
    const file = await handle.getFile?.();
    if (file) found.push({ name, changedAt: file.lastModified });
  }
  return found;
}

type Entries = { entries(): AsyncIterable<[string, { getFile?(): Promise<File> }]> };

async function openFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}
