import { type Pick, readHandles } from './picked-files.ts';

type AskableHandle = FileSystemHandle & {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
};

/** Whether all of them may be read without asking. */
export async function canReopen(roots: FileSystemHandle[]): Promise<boolean> {
  const states = await Promise.all(
    (roots as AskableHandle[]).map((root) => root.queryPermission?.({ mode: 'read' })),
  );
  return roots.length > 0 && states.every((state) => state === 'granted');
}

/** Opens the files again, asking for leave where it is needed (within a click). Undefined when it is denied. */
export async function reopenFiles(roots: FileSystemHandle[]): Promise<Pick | undefined> {
  for (const root of roots as AskableHandle[]) {
    const state = await root.requestPermission?.({ mode: 'read' });
    if (state !== 'granted') return undefined;
  }
  return readHandles(roots).catch(() => undefined);
}
