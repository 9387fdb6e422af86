import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Reads the installation's secret from DATA_DIR, or generates it at the first start, readable by its owner only.
 * Atomic: the file is written under another name, synced and linked into place. If several processes start at once,
 * the first link wins and all read the same secret.
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
