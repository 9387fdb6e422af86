import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import { build, type InlineConfig, type Plugin, type PluginOption, type Rolldown, runnerImport } from 'vite';
import { LANGUAGE_CODES } from '../../contracts/values/language/languages.ts';
import { messages } from './catalogues/messages.ts';
import { splitContracts } from './contracts/split-contracts.ts';
import { stripMetadata } from './contracts/strip-metadata.ts';

const WEB = new URL('..', import.meta.url).pathname;
const ROOM = `${WEB}encrypted/`;
const LANGUAGE_MODULE = `${ROOM}language/messages.ts`;
const DOCUMENT = 'encrypted.html';
/** Its place is its scope; without a hash, because browsers update it by its name. */
const SAVE_WORKER = 'e/save/worker.js';
const ASSETS_MARK = '<!-- assets -->';
/** On a slow line (1.6 Mbit/s) a second of waiting is 200 kB. */
const SCRIPT_BUDGET = 53_000;

type BuiltFile = { fileName: string; source: string | Uint8Array };

/**
 * Builds the page that decrypts, apart from the app: one script, so that a policy can name it by its hash
 * (docs/decisions/0042), and one stylesheet. `npm run dev` builds it on demand.
 */
export function encryptedPage(): Plugin {
  return {
    name: 'encrypted-page',
    apply: (_config, { command, mode }) => command === 'build' && mode !== 'trial',
    async generateBundle(_options, bundle) {
      for (const file of await buildEncryptedPage())
        if (!(file.fileName in bundle)) this.emitFile({ type: 'asset', ...file });
    },
  };
}

/** The same sources give the same bytes. */
export async function buildEncryptedPage(): Promise<BuiltFile[]> {
  const saver = await bundleScript(`${ROOM}saving/worker/saver.worker.ts`);
  const catalogues = await buildCatalogues();
  const script = await bundleScript(`${ROOM}main.ts`, [
    virtualModule('virtual:saver', saver),
    virtualModule('virtual:page-catalogues', Object.fromEntries(catalogues.map(describeCatalogue))),
    iconData(),
    messages({ languageModule: LANGUAGE_MODULE }),
  ]);
  const size = gzipSync(script).length;
  if (size > SCRIPT_BUDGET)
    throw new Error(`The script of ${DOCUMENT} has ${size} bytes; its budget is ${SCRIPT_BUDGET}.`);
  const { stylesheet, fonts } = await bundleStyles();
  const scriptFile = hashedFile('encrypted', 'js', script);
  const styleFile = hashedFile('encrypted', 'css', stylesheet);
  const document = (await readFile(`${ROOM}${DOCUMENT}`, 'utf8')).replace(
    ASSETS_MARK,
    [
      preloadFont(fonts),
      `<link rel="stylesheet" href="/${styleFile.fileName}" />`,
      // Blocks the first paint, so that the chosen theme never flashes. The body is empty until it has run.
      `<script src="/${scriptFile.fileName}" integrity="sha256-${digest(script)}"></script>`,
    ].join('\n    '),
  );
  return [
    { fileName: DOCUMENT, source: document },
    scriptFile,
    ...catalogues.map(({ file }) => file),
    styleFile,
    ...fonts,
    { fileName: SAVE_WORKER, source: await bundleScript(`${ROOM}save-worker/save-worker.ts`) },
  ];
}

type Catalogue = { language: string; file: BuiltFile & { source: string } };

async function buildCatalogues(): Promise<Catalogue[]> {
  const languages = LANGUAGE_CODES.filter((language) => language !== 'en');
  return Promise.all(
    languages.map(async (language) => {
      const { module } = await runnerImport<{ messages: object }>(`${ROOM}locales/${language}.po`, {
        ...COMMON,
        plugins: [messages()],
      });
      const file = hashedFile(`encrypted-${language}`, 'json', JSON.stringify(module.messages));
      return { language, file };
    }),
  );
}

function describeCatalogue({ language, file }: Catalogue): [string, object] {
  return [language, { path: `/${file.fileName}`, integrity: `sha256-${digest(file.source)}` }];
}

function digest(source: string): string {
  return createHash('sha256').update(source).digest('base64');
}

function hashedFile(name: string, ending: string, source: string): BuiltFile & { source: string } {
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  return { fileName: `assets/${name}-${hash}.${ending}`, source };
}

function preloadFont(fonts: BuiltFile[]): string {
  const font = fonts.find(({ fileName }) => fileName.includes('-latin-standard-normal'));
  if (!font) throw new Error('The text font is not in the stylesheet.');
  return `<link rel="preload" as="font" type="font/woff2" href="/${font.fileName}" crossorigin="" />`;
}

const COMMON = {
  root: WEB,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  // Also in tests, whose environment has another.
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
} satisfies InlineConfig;

async function bundleScript(input: string, plugins: PluginOption[] = []): Promise<string> {
  const built = await build({
    ...COMMON,
    plugins: [...plugins, stripMetadata(), splitContracts()],
    resolve: {
      // Shared modules with texts or formats use the language of this page.
      alias: [{ find: /^.*\/language\/messages\.tsx$/, replacement: LANGUAGE_MODULE }],
    },
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input,
        treeshake: { manualPureFunctions: ['z', 'textUpTo', 'lineUpTo', 'requiredText'] },
        output: { format: 'iife', entryFileNames: 'script.js' },
      },
    },
  });
  const { output } = built as Rolldown.RolldownOutput;
  if (output.length !== 1)
    throw new Error(`${input} is not one file: ${output.map((each) => each.fileName)}`);
  return output[0].code;
}

async function bundleStyles(): Promise<{ stylesheet: string; fonts: BuiltFile[] }> {
  const built = await build({
    ...COMMON,
    plugins: [tailwindcss()],
    build: { write: false, assetsInlineLimit: 0, rolldownOptions: { input: `${ROOM}page.css` } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  const assets = output.filter((each) => each.type === 'asset');
  const stylesheet = assets.find(({ fileName }) => fileName.endsWith('.css'));
  if (!stylesheet) throw new Error('The stylesheet was not built');
  const fonts = assets.filter((each) => each !== stylesheet);
  return {
    stylesheet: String(stylesheet.source),
    fonts: fonts.map(({ fileName, source }) => ({ fileName, source })),
  };
}

function virtualModule(name: string, value: unknown): Plugin {
  return {
    name: 'virtual-module',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? `export default ${JSON.stringify(value)};` : undefined),
  };
}

/** Icons as the data they are drawn from, without React and its keys. */
function iconData(): Plugin {
  return {
    name: 'icon-data',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith('/createLucideIcon.mjs') ? '\0icon-data' : undefined),
    load: (id) => (id === '\0icon-data' ? 'export default ({ node }) => node;' : undefined),
    transform: (code, id) =>
      id.includes('/lucide-react/') ? code.replaceAll(/,\s*key: "\w+"/g, '') : undefined,
  };
}
