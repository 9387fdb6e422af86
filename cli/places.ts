import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readFolder } from './environment.ts';

/** Where the key is kept: the XDG base directories, on Windows those of the system. */
export function configFile(): string {
  return join(baseDirectory('XDG_CONFIG_HOME', 'APPDATA', '.config'), 'sendwell', 'config.json');
}

/** Where unfinished transfers are noted. */
export function stateFolder(): string {
  return join(baseDirectory('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'), 'sendwell');
}

/** Replaces a file that only its owner may read; there is never half of it. */
export async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

function baseDirectory(variable: string, windowsVariable: string, fallback: string): string {
  const windows = process.platform === 'win32' ? readFolder(windowsVariable) : undefined;
  return readFolder(variable) ?? windows ?? join(homedir(), fallback);
}
