import { type Pick, readHandles } from './picked-files.ts';

type Pickers = {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemHandle[]>;
  showDirectoryPicker?(options: { mode: 'read' }): Promise<FileSystemHandle>;
};

export type PickKind = 'files' | 'folder';

/**
 * Opens the browser's picker that also gives handles, by which the files can be opened again after a reload.
 * Resolves with 'unavailable' where there is none, with undefined when the person chose nothing.
 */
export async function pickWithHandles(kind: PickKind): Promise<Pick | 'unavailable' | undefined> {
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
    // Inside a frame of another site, for one.
    if (error instanceof DOMException && error.name === 'SecurityError') return 'unavailable';
    throw error;
  }
}
