import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { build, minify, type Plugin, type Rolldown } from 'vite';
import { EARLY_PAGES } from '../app/loading/early-pages.ts';
import { splitContracts } from './contracts/split-contracts.ts';
import { APP, listScripts } from './page-files.ts';

const WEB = new URL('..', import.meta.url).pathname;
const SOURCE = `${WEB}app/loading/early-requests.ts`;
const THEME_TAG = '<script src="/theme.js"></script>';

/**
 * Replaces the theme script of the app's document by one that also requests the page's code and data, so that both
 * arrive with the app instead of after it. A file, because the content security policy allows no inline scripts.
 */
export function headScript(): Plugin {
  return {
    name: 'head-script',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const document = bundle['index.html'];
        if (document?.type !== 'asset') return;
        const theme = await minify('theme.js', await readFile(`${WEB}public/theme.js`, 'utf8'));
        const chunks = `const PAGE_CHUNKS=${JSON.stringify(listPageChunks(bundle))};`;
        const code = `${theme.code}(()=>{${chunks}${await bundleScript()}})();`;
        const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8);
        const fileName = `assets/head-${hash}.js`;
        this.emitFile({ type: 'asset', fileName, source: code });
        const html = String(document.source);
        if (!html.includes(THEME_TAG)) this.error(`web/index.html does not contain ${THEME_TAG}`);
        document.source = html
          .replace(THEME_TAG, `<script src="/${fileName}"></script>`)
          .replace('</head>', `${listPreloads(bundle).join('')}</head>`);
      },
    },
  };
}

/** For the scripts that the document imports dynamically and always. */
function listPreloads(bundle: Rolldown.OutputBundle): string[] {
  const imported = listScripts(bundle, ['index.html']);
  const late = [...listScripts(bundle, APP)].filter((file) => !imported.has(file));
  return late.map((file) => `  <link rel="modulepreload" crossorigin href="/${file}">\n  `);
}

export type PageChunks = { files: string[]; byPage: number[][] };

/** The chunks that pages load and the document does not, and which of them belong to each of EARLY_PAGES. */
function listPageChunks(bundle: Rolldown.OutputBundle): PageChunks {
  const inDocument = listScripts(bundle, APP);
  const files: string[] = [];
  const byPage = EARLY_PAGES.map(({ modules }) => {
    const needed = [...listScripts(bundle, modules)].filter((file) => !inDocument.has(file));
    files.push(...needed.filter((file) => !files.includes(file)));
    return needed.map((file) => files.indexOf(file));
  });
  return { files, byPage };
}

async function bundleScript(): Promise<string> {
  const built = await build({
    root: WEB,
    configFile: false,
    logLevel: 'error',
    plugins: [splitContracts()],
    build: {
      write: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: SOURCE,
        treeshake: {
          moduleSideEffects: false,
          manualPureFunctions: ['z', 'textUpTo', 'lineUpTo', 'requiredText'],
        },
        output: { format: 'es' },
      },
    },
  });
  const [script] = (built as Rolldown.RolldownOutput).output;
  return script.code;
}
