/** The opener that the format document ships, and its counterpart for tests, in a Python with `cryptography`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A Python of one's own may lack what Debian's has. */
export const PYTHON = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import cryptography']).status === 0,
);

/** Options of a test that needs it. */
export const withPython = PYTHON ? {} : { skip: 'needs the Debian package python3-cryptography' };

export type PythonTransfer = {
  link: string;
  /** The JSON of `viewDownload`, or at least its `encryption`. */
  viewFile: string;
  /** Its name ends with its revision: 'manifest.1'. */
  manifestFile: string;
  /** A folder of encrypted files or the zip of them. */
  source: string;
  /** Where the files are written. */
  out: string;
  password?: string;
};

/** Throws if the opener refuses anything. */
export function openWithPython({
  link,
  viewFile,
  manifestFile,
  source,
  out,
  password,
}: PythonTransfer): void {
  run('docs/formats/open_e2ee.py', [link, viewFile, manifestFile, source, out], { password });
}

export function accessKeyFromPython({
  link,
  viewFile,
  password,
}: Pick<PythonTransfer, 'link' | 'viewFile' | 'password'>): string {
  return run('docs/formats/open_e2ee.py', [link, viewFile], { password }).trim();
}

/** The link of a received transfer. `keysFile` and `transferFile` are described in the script. */
export function openRequestWithPython(files: {
  keysFile: string;
  transferFile: string;
  host: string;
}): string {
  return run('docs/formats/open_request.py', [files.keysFile, files.transferFile, files.host], {}).trim();
}

type Specification = { password: string | null; files: { path: string; size: number }[] };

/** Writes encrypted files, `view.json` and `manifest.1`; the files contain `contentOf(path, size)`. Returns the link. */
export function sealWithPython(folder: string, specification: Specification): string {
  return run('testing/encryption/seal_e2ee.py', [folder], { input: JSON.stringify(specification) }).trim();
}

/** What docs/formats/e2ee-vectors.json contains. */
export function vectorsFromPython(): string {
  return run('testing/encryption/seal_e2ee.py', ['vectors'], {});
}

export function contentOf(path: string, size: number): Buffer {
  return size === 0 ? Buffer.alloc(0) : createHash('shake128', { outputLength: size }).update(path).digest();
}

function run(script: string, args: string[], { input = '', password = '' }): string {
  const env = { ...process.env, PASSWORD: password, PYTHONDONTWRITEBYTECODE: '1' };
  return execFileSync(PYTHON!, [join(ROOT, script), ...args], {
    input,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}
