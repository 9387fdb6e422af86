/**
 * Builds the pages into dist/web if their sources have changed since the last build, and writes a brotli and a gzip
 * version of every text asset. `--force` always builds.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const out = join(root, 'dist/web');
const stampFile = join(out, '.build-stamp');

const stamp = sourceStamp();
const isCurrent = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
if (!isCurrent || process.argv.includes('--force')) {
  // Loading Vite takes longer than the rest of a start whose pages are built.
  const { build } = await import('vite');
  await build({ root: join(root, 'web'), configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn' });
  compressAssets();
  writeFileSync(stampFile, stamp);
}

function sourceStamp(): string {
  const hash = createHash('sha256');
  const sources = globSync(['{web,contracts,client,encryption}/**/*', 'package-lock.json'], {
    cwd: root,
    withFileTypes: true,
  });
  const paths = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

function compressAssets(): void {
  for (const name of globSync('**/*.{js,css,html,svg,json}', { cwd: out })) {
    const bytes = readFileSync(join(out, name));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}
