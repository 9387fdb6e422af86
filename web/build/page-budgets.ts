import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { EARLY_PAGES } from '../app/loading/early-pages.ts';
import { APP, listScripts } from './page-files.ts';

/** Bytes as the server sends them (brotli), and files. */
type Budget = { bytes: number; files: number };

/** On a slow line (1.6 Mbit/s) 20 kB take a tenth of a second. Raise a budget only if the first view needs it. */
const BUDGETS: Record<string, Budget> = {
  [PAGES.download]: { bytes: 101_000, files: 8 },
  [PAGES.auth]: { bytes: 150_000, files: 13 },
  [PAGES.dashboard]: { bytes: 150_000, files: 13 },
  [PAGES.upload]: { bytes: 150_000, files: 13 },
};

const compress = promisify(brotliCompress);

/** Fails the build if a page needs more script than its budget before it can be used. */
export function pageBudgets(): Plugin {
  return {
    name: 'page-budgets',
    apply: (_config, { mode }) => mode !== 'trial',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        for (const [path, budget] of Object.entries(BUDGETS)) {
          const { bytes, files } = await measure(bundle, path);
          if (bytes > budget.bytes || files > budget.files)
            this.error(
              `${path} loads ${bytes} bytes of script in ${files} files; its budget is ${budget.bytes} in ${budget.files}. ` +
                'Load what the first view does not need later, for example with lateModule.',
            );
        }
      },
    },
  };
}

async function measure(bundle: Rolldown.OutputBundle, path: string): Promise<Budget> {
  const { modules } = EARLY_PAGES.find((page) => page.path === path)!;
  const scripts = listScripts(bundle, [...APP, ...modules]);
  for (const file of Object.keys(bundle)) if (file.startsWith('assets/head-')) scripts.add(file);
  const sizes = await Promise.all([...scripts].map((file) => compressedBytes(bundle[file]!)));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: scripts.size };
}

/** By file, because pages share most of them. */
const known = new Map<string, number>();

async function compressedBytes(file: Rolldown.OutputBundle[string]): Promise<number> {
  const size =
    known.get(file.fileName) ?? (await compress(file.type === 'chunk' ? file.code : file.source)).length;
  known.set(file.fileName, size);
  return size;
}
