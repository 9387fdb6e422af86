import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The installation's secret, made at the first start and kept in DATA_DIR readable by its owner only.
 * Whole or absent at every instant: it is written aside, synced, then linked into place; of several processes
 * that start at once the first link wins and all read the same.
 */
export async function readOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret');
  const existing = await readIfPresent(path);
  if (existing) return existing;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  await file.writeFile(randomBytes(32).toString('base64url'));
  await file.sync();
  await file.close();
  await link(draft, path).catch(ignoreExisting);
  await unlink(draft);
  return readFile(path, 'utf8');
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
