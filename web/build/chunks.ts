import { build, type Plugin, type Rolldown } from 'vite';

const WEB = new URL('..', import.meta.url).pathname;
const page = (path: string) => `${WEB}features/${path}-page.tsx`;
const ENTRY = `${WEB}index.html`;
const START = `${WEB}app/start.tsx`;
const STATIC_SCRIPT = `${WEB}app/static-script.ts`;
const ALL_PAGES = `${WEB}app/all-pages.tsx`;
const FRAME = `${WEB}app/frames/signed-in-frame.tsx`;
const DIALOG = `${WEB}components/dialogs/dialog-window.tsx`;
const MENU = `${WEB}components/actions/menu-window.tsx`;
const OVERLAYS = `${WEB}app/overlays.tsx`;
const LONG_LIST = `${WEB}components/data/windowed-rows.tsx`;
const DOWNLOAD = page('downloads/download');
const SIGN_IN = page('accounts/auth');
const TRANSFERS = page('transfers/list/my-transfers');
const UPLOAD = page('uploads/upload');
const SETTINGS_CHECKS = `${WEB}transfer-settings/settings-checks.ts`;
const SETTINGS_FIELDS = `${WEB}transfer-settings/settings-fields.tsx`;
const DETAIL = page('transfers/detail/transfer-detail');
const SETTINGS = page('settings/settings');
const VISITOR_UPLOAD = page('visitor-upload/visitor-upload');
const RESET_PASSWORD = page('accounts/recovery/reset-password');
const VERIFY_EMAIL = page('accounts/sign-up/verify-email');
const ANALYTICS = page('analytics/analytics');
const UNSUBSCRIBE = page('mail-preferences/unsubscribe');
const TRANSFER_ANALYTICS = page('analytics/transfer-analytics');

/**
 * The chunks of modules that pages share: a module goes into the first one whose entries all load it. What several
 * entries load includes its imports, so a chunk imports only earlier ones. Other modules go into `shared`, or into the
 * chunk of their area.
 */
const CHUNKS: [name: string, ...entries: string[]][] = [
  ['plain', STATIC_SCRIPT, START],
  ['plain', STATIC_SCRIPT, DOWNLOAD],
  ['plain', STATIC_SCRIPT, UPLOAD],
  ['landing', STATIC_SCRIPT],
  ['messages', ENTRY],
  ['app', START],
  ['app', DOWNLOAD, SIGN_IN],
  ['sessions', ALL_PAGES],
  ['sessions', SIGN_IN, FRAME],
  ['sessions', SIGN_IN, TRANSFERS],
  ['sessions', UNSUBSCRIBE],
  ['app', DOWNLOAD, TRANSFERS],
  ['app', DOWNLOAD, FRAME],
  ['app', DOWNLOAD, UPLOAD],
  ['file-trees', DOWNLOAD],
  ['dashboard', FRAME],
  ['dashboard', TRANSFERS, UPLOAD],
  ['forms', SIGN_IN, UPLOAD],
  ['schemas', SIGN_IN, SETTINGS_CHECKS],
  ['accounts', SIGN_IN],
  ['accounts', VERIFY_EMAIL],
  ['accounts', RESET_PASSWORD],
  ['long-lists', LONG_LIST],
  ['dialogs', DIALOG],
  ['menus', MENU, OVERLAYS],
  ['uploading', UPLOAD],
  ['transfers', TRANSFERS],
  ['checks', SETTINGS_CHECKS],
  ['transfer-settings', SETTINGS_FIELDS, DETAIL],
  ['settings', SETTINGS],
  ['analytics', ANALYTICS, TRANSFER_ANALYTICS],
  ['visitors', VISITOR_UPLOAD],
  ['transfer', DETAIL],
];
const AREAS = /\/(admin|paying|signing-in|encryption|key-ring)\//;

const TRIAL = 'trial';
/** What the code of all pages calls. */
const RUNTIME = ['\0rolldown/runtime.js', '\0vite/preload-helper.js'];
/** What the document runs before the app. With the messages it becomes one chunk, which has no Zod. */
const FIRST = [ENTRY, `${WEB}app/main.ts`, `${WEB}lib/browser/zod-without-eval.ts`];

/**
 * Puts modules that pages share into a few chunks, because on a slow line each file costs about as much time as 5 kB.
 * Modules of one page stay with it. A first build without output finds out what each page loads after tree shaking.
 */
export function groupChunks(): Plugin {
  return {
    name: 'group-chunks',
    apply: 'build',
    async config(_config, { mode }) {
      if (mode === TRIAL) return undefined;
      const groupOf = findGroups(await findModulesOfEntries());
      const groups = [{ debugName: 'shared modules', name: groupOf, includeDependenciesRecursively: false }];
      return { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } };
    },
  };
}

type Reached = Map<string, Set<string>>;

function findGroups(reached: Reached): (id: string) => string | null {
  const unknown = CHUNKS.flatMap(([, ...entries]) => entries).find((entry) => !reached.has(entry));
  if (unknown) throw new Error(`${unknown} is not an entry of the app; update web/build/chunks.ts`);
  const isShared = (id: string) => [...reached.values()].filter((modules) => modules.has(id)).length > 1;
  return (id) => {
    if (RUNTIME.includes(id)) return 'plain';
    if (FIRST.includes(id)) return 'messages';
    const language = /(?:\/locales|virtual:catalogue)\/([a-z]{2})(?:\.po)?$/.exec(id)?.[1];
    if (language)
      return id.includes('/features/admin/') ? `language-${language}-admin` : `language-${language}`;
    if (!isShared(id)) return null;
    const fitting = CHUNKS.find(([, ...entries]) => entries.every((entry) => reached.get(entry)?.has(id)));
    return fitting?.[0] ?? AREAS.exec(id)?.[1] ?? 'shared';
  };
}

/** What each entry and each dynamic import loads, by its module. */
async function findModulesOfEntries(): Promise<Reached> {
  const trial = await build({
    root: WEB,
    configFile: `${WEB}vite.config.ts`,
    mode: TRIAL,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      reportCompressedSize: false,
      // Otherwise an entry may become part of another one's chunk, and is no longer found.
      rolldownOptions: { experimental: { chunkOptimization: false } },
    },
  });
  const { output } = trial as Rolldown.RolldownOutput;
  const chunks = new Map(output.filter((each) => each.type === 'chunk').map((each) => [each.fileName, each]));
  const reached: Reached = new Map();
  for (const chunk of chunks.values()) {
    const entry = STATIC_SCRIPT in chunk.modules ? STATIC_SCRIPT : chunk.facadeModuleId;
    if (!entry) continue;
    const files = new Set([chunk.fileName]);
    for (const file of files) for (const next of chunks.get(file)?.imports ?? []) files.add(next);
    reached.set(entry, new Set([...files].flatMap((file) => Object.keys(chunks.get(file)?.modules ?? {}))));
  }
  return reached;
}

/**
 * Fails the build if a module awaits at its top: until it is fixed (bugs.webkit.org/242740), Safari runs what is
 * imported at the same time before the modules that it needs.
 */
export function refuseTopLevelAwait(): Plugin {
  return {
    name: 'refuse-top-level-await',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && awaitsAtTop(this.parse(chunk.code)))
          this.error(`a module of ${chunk.fileName} awaits at its top; do it in a function`);
    },
  };
}

/** `node` is a syntax tree (ESTree), or a value in it. */
function awaitsAtTop(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(awaitsAtTop);
  if (typeof node !== 'object' || node === null) return false;
  const { type, await: isAwaited } = node as { type?: string; await?: boolean };
  if (type?.includes('Function')) return false;
  return type === 'AwaitExpression' || isAwaited === true || Object.values(node).some(awaitsAtTop);
}

/** Fails the build if chunks import each other in a circle, which can run a module before those it needs. */
export function refuseCircularChunks(): Plugin {
  return {
    name: 'refuse-circular-chunks',
    generateBundle(_options, bundle) {
      const visit = (file: string, path: string[]): void => {
        if (path.includes(file)) this.error(`circular chunks: ${[...path, file].join(' → ')}`);
        const chunk = bundle[file];
        if (chunk?.type === 'chunk') for (const next of chunk.imports) visit(next, [...path, file]);
      };
      for (const file of Object.keys(bundle)) visit(file, []);
    },
  };
}
