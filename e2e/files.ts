import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Download, TestInfo } from '@playwright/test';

/** Contents by path. */
export type Files = Record<string, Buffer | string>;

/** Writes the files below a folder of this test; returns that folder. */
export function writeFiles(testInfo: TestInfo, files: Files): string {
  const folder = testInfo.outputPath('chosen');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Writes one file; returns its path. */
export function writeFile(testInfo: TestInfo, name: string, content: Buffer | string): string {
  return join(writeFiles(testInfo, { [name]: content }), name);
}

/** What the browser saved. */
export async function readDownload(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

/** Unpacks with the system's own program, as recipients do; returns the folder. */
export function unzip(zipPath: string, folder: string): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync('unzip', ['-q', zipPath, '-d', folder], { env });
  if (status !== 0) throw new Error(`unzip ended with ${status}: ${stdout}${stderr}`);
  return folder;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
