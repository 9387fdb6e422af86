import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the page that decrypts. */
export type PageFile = {
  /** Without a leading slash; `e/` is the document. */
  path: string;
  /** Lower-case hex. */
  sha256: string;
};

const DOCUMENT = 'e/';
const BUILT_DOCUMENT = 'encrypted.html';
/** The script starts it, so the document does not name it. */
const SAVE_WORKER = 'e/save/worker.js';
const REFERENCE = /<(?:script|link)\b[^>]*?\b(?:src|href)="\/([^"/][^"]*)"/g;

/**
 * Reads the document, the files that it names and the service worker, in the order of their paths. `read` gets
 * `e/` for the document.
 */
export async function listPageFiles(read: (path: string) => Promise<Buffer>): Promise<PageFile[]> {
  const document = await read(DOCUMENT);
  const references = [...document.toString().matchAll(REFERENCE)].map(([, path]) => path!);
  const paths = [...new Set([...references, SAVE_WORKER])];
  const files = [{ path: DOCUMENT, sha256: hash(document) }];
  for (const path of paths) files.push({ path, sha256: hash(await read(path)) });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The page in a folder of built pages. Undefined if it is not built. */
export async function readBuiltPage(folder: string): Promise<PageFile[] | undefined> {
  try {
    return await listPageFiles((path) => readFile(join(folder, path === DOCUMENT ? BUILT_DOCUMENT : path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** SHA-256, in hex, of the lines that `sha256sum` prints for the files in the order of their paths. */
export function digestPage(files: readonly PageFile[]): string {
  return hash(files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join(''));
}

function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
