import { existsSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Marks DATA_DIR while a backup is being restored: the data looks complete but isn't. */
const MARK = 'restoring';

export function isBeingRestored(dataDir: string): boolean {
  return existsSync(join(dataDir, MARK));
}

export async function markRestoring(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, MARK), 'A backup is being put back here.\n', { mode: 0o600, flush: true });
}

export async function unmarkRestoring(dataDir: string): Promise<void> {
  await unlink(join(dataDir, MARK));
}
