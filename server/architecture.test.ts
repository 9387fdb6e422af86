import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';

const root = join(import.meta.dirname, '..');

/** In dependency order: a feature may import those to its left. */
const FEATURES = [
  'tiers',
  'registration',
  'accounts',
  'api-keys',
  'backgrounds',
  'checksums',
  'previews',
  'analytics',
  'webhooks',
  'push',
  'account-recovery',
  'transfers',
  'pickup',
  'scanning',
  'invitations',
  'uploads',
  'notices',
  'downloads',
  'billing',
  'account-deletion',
  'imports',
  'ads',
  'admin',
  'api-docs',
  'metrics',
];

/** What only browsers or only Node have. */
const PLATFORM_ONLY =
  /\b(Buffer|process|window|document|navigator|location|localStorage|XMLHttpRequest|Worker)\b[.(]|\bfetch\(/;

type Import = { from: string; to: string };

const files = globSync(
  '{contracts,client,encryption,cli,command-line,operator,server,testing,web}/**/*.{ts,tsx}',
  {
    cwd: root,
  },
).filter((file) => !file.includes('node_modules'));
const isTest = (file: string) => /\.(test|suite)\.tsx?$/.test(file) || /^(web\/)?testing\//.test(file);
const product = files.filter((file) => !isTest(file) && !file.endsWith('.d.ts'));
const imports = product.flatMap(importsOf);

test('the list of features is complete', () => {
  const rooms = new Set(globSync('server/features/*', { cwd: root }).map((path) => path.split('/').at(-1)!));
  assert.deepEqual([...rooms].sort(), [...FEATURES].sort());
});

test('contracts import only zod and each other', () => {
  refuse(
    imports,
    ({ from, to }) =>
      from.startsWith('contracts/') && !/^zod(\/mini)?$/.test(to) && !to.startsWith('contracts/'),
  );
});

test('the client imports only contracts, zod and itself; adapters for browsers and Node are in web and cli', () => {
  refuse(imports, ({ from, to }) => from.startsWith('client/') && !/^((client|contracts)\/|zod$)/.test(to));
  const users = product.filter((file) => file.startsWith('client/') && PLATFORM_ONLY.test(read(file)));
  assert.deepEqual(users, []);
});

test('encryption imports only contracts, hpke, zod and itself, and uses what browsers and Node both have', () => {
  refuse(
    imports,
    ({ from, to }) =>
      from.startsWith('encryption/') && !/^((encryption|contracts)\/|(hpke|zod|zod\/mini)$)/.test(to),
  );
  const users = product.filter((file) => file.startsWith('encryption/') && PLATFORM_ONLY.test(read(file)));
  assert.deepEqual(users, []);
});

test('only pages and the command for users use encryption; the server never sees a key', () => {
  refuse(imports, ({ from, to }) => to.startsWith('encryption/') && !/^(encryption|web|cli)\//.test(from));
});

test('the server does not import the client: shared code belongs in contracts', () => {
  refuse(imports, ({ from, to }) => from.startsWith('server/') && to.startsWith('client/'));
});

test('code shared by both commands imports neither of them', () => {
  refuse(
    imports,
    ({ from, to }) => from.startsWith('command-line/') && !/^(command-line\/|node:|commander$)/.test(to),
  );
});

test('the operator’s commands may use the server; the server does not use them', () => {
  refuse(
    imports,
    ({ from, to }) =>
      from.startsWith('operator/') &&
      !/^((operator|command-line|contracts|server)\/|node:|commander$|zod$)/.test(to),
  );
  const fromServer = imports.filter(
    ({ from, to }) => from.startsWith('server/') && to.startsWith('operator/'),
  );
  assert.deepEqual(
    fromServer.map(({ from }) => from),
    ['server/cli.ts'],
  );
});

test('the command for users reaches the server through contracts, the client and encryption only', () => {
  refuse(
    imports,
    ({ from, to }) =>
      from.startsWith('cli/') &&
      !/^(cli\/|command-line\/|client\/|encryption\/|contracts\/|node:|commander$|zod$|package\.json$)/.test(
        to,
      ),
  );
});

test('the platform imports no feature', () => {
  refuse(
    imports,
    ({ from, to }) =>
      from.startsWith('server/platform/') &&
      !/^server\/platform\/|^contracts\/|^[^/.]+(\/|$)|^node:|^@/.test(to),
  );
  refuse(imports, ({ from, to }) => from.startsWith('server/platform/') && to.startsWith('server/features/'));
});

test('a feature uses the index.ts of features to its left; the rest of a feature is private to its folder', () => {
  refuse(imports, ({ from, to }) => {
    const [here, there] = [featureOf(from), featureOf(to)];
    if (!there || here === there) return false;
    const isComposed = /^server\/[a-z-]+\.ts$/.test(from) && /\/(routes|jobs)\.ts$/.test(to);
    const isLater = here !== undefined && FEATURES.indexOf(there) > FEATURES.indexOf(here);
    return isLater || !(isComposed || to === `server/features/${there}/index.ts`);
  });
  refuse(
    imports,
    ({ from, to }) => featureOf(from) === featureOf(to) && /^server\/features\/[^/]+\/index\.ts$/.test(to),
  );
});

test('queries import only the database, contracts and the public surface of other features', () => {
  refuse(
    imports,
    ({ from, to }) =>
      /^server\/features\/.*queries\.ts$/.test(from) &&
      !/^(kysely$|contracts\/|server\/platform\/(db|lib)\/|server\/features\/[^/]+\/index\.ts$)/.test(to) &&
      featureOf(from) !== featureOf(to),
  );
});

test('pages reach the server through contracts only, and not each other', () => {
  refuse(imports, ({ from, to }) => from.startsWith('web/') && to.startsWith('server/'));
  refuse(imports, ({ from, to }) => {
    const [here, there] = [webFeatureOf(from), webFeatureOf(to)];
    return here !== undefined && there !== undefined && here !== there;
  });
  refuse(
    imports,
    ({ from, to }) => from.startsWith('web/components/') && /^(web\/(features|api)|client)\//.test(to),
  );
});

test('the environment is read in one place', () => {
  const readers = product.filter(
    (file) => /^(server|cli|operator)\//.test(file) && /\bprocess\.env\b/.test(read(file)),
  );
  assert.deepEqual(readers.sort(), ['cli/environment.ts', 'operator/main.ts', 'server/main.ts']);
});

test('there is one clock', () => {
  const clocks = product.filter(
    (file) => /^(server|operator)\//.test(file) && /\bDate\.now\(|\bnew Date\(\)/.test(read(file)),
  );
  assert.deepEqual(clocks, ['server/platform/lib/clock.ts']);
});

test('raw SQL stays in the platform', () => {
  const users = imports.filter(
    ({ from, to }) => /^(server\/features|operator)\//.test(from) && to === 'kysely',
  );
  const raw = users.filter(({ from }) => /import \{[^}]*\bsql\b[^}]*\} from 'kysely'/.test(read(from)));
  assert.deepEqual(
    raw.map(({ from }) => from),
    [],
  );
});

test('no file has a catch-all name', () => {
  assert.deepEqual(
    files.filter((file) => /\/(utils?|helpers?|common|manager|service|handler)s?\.tsx?$/.test(file)),
    [],
  );
});

test('there are no import cycles', () => {
  const edges = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of edges.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of product) walk(file, []);
});

/** Type-only imports count, because they tie files together for readers too. */
function importsOf(file: string): Import[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'/g;
  return [...read(file).matchAll(pattern)].map(([, target]) => ({ from: file, to: resolve(file, target!) }));
}

function resolve(file: string, target: string): string {
  if (!target.startsWith('.')) return target;
  const path = relative(root, join(root, dirname(file), target));
  return (
    ['', '.ts', '.tsx'].map((ending) => path + ending).find((each) => existsSync(join(root, each))) ?? path
  );
}

function refuse(all: Import[], isForbidden: (edge: Import) => boolean): void {
  assert.deepEqual(
    all.filter(isForbidden).map(({ from, to }) => `${from} → ${to}`),
    [],
  );
}

function featureOf(path: string): string | undefined {
  return /^server\/features\/([^/]+)\//.exec(path)?.[1];
}

function webFeatureOf(path: string): string | undefined {
  return /^web\/features\/([^/]+)\//.exec(path)?.[1];
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
