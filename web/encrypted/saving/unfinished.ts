import { createStore, get, set } from 'idb-keyval';
import type { Form } from './ladder.ts';

const KEY = 'encrypted-unfinished';

/** A save into a folder, or a staged one, that a reload interrupted, of this tab. */
export type Unfinished = {
  token: string;
  form: Form;
  /** Ids on the server; null for all files. */
  fileIds: string[] | null;
  /** Undefined for a folder. */
  stagedName: string | undefined;
};

export function findUnfinished(): Unfinished | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Unfinished | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Without storage, a reload starts over. */
export function keepUnfinished(unfinished: Unfinished): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(unfinished));
  } catch {}
}

export function forgetUnfinished(token: string): void {
  if (findUnfinished()?.token === token) sessionStorage.removeItem(KEY);
}

/** Unlike the other facts, a handle can only be kept in a database. */
const folders = () => createStore('sendwell-encrypted', 'folders');

/** `downloadPath` tells which files are saved in it. */
type StartedFolder = { downloadPath: string; root: FileSystemDirectoryHandle };

/** The folder that an interrupted save of these files created. */
export async function findStartedFolder(
  downloadPath: string,
): Promise<FileSystemDirectoryHandle | undefined> {
  const found = await get<StartedFolder>('latest', folders()).catch(() => undefined);
  return found?.downloadPath === downloadPath ? found.root : undefined;
}

export async function keepStartedFolder(
  downloadPath: string,
  root: FileSystemDirectoryHandle,
): Promise<void> {
  await set('latest', { downloadPath, root } satisfies StartedFolder, folders()).catch(() => undefined);
}
