/**
 * Bundles the server, the operator's commands and the command line into few files for the tests that start them as
 * processes. Loading their 2,000 modules one by one takes half of the processor time of a start.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { BUNDLED_PROGRAMS, PROGRAMS } from '../../testing/processes/programs.ts';

const ROOT = join(import.meta.dirname, '../..');

/** These read files of their own packages, or are loaded only when they are needed. */
const EXTERNAL = [
  /^sharp$/,
  /^pdf-to-img$/,
  /^@ip-location-db\//,
  /^@aws-sdk\//,
  /^stripe$/,
  /^@scalar\//,
  /^pino/,
];

/** Modules find files beside their own source, also from within a bundle. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.')) return undefined;
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

const bundle = await rolldown({
  cwd: ROOT,
  input: PROGRAMS,
  platform: 'node',
  external: EXTERNAL,
  plugins: [keepPlaces],
  // Of packages.
  logLevel: 'silent',
});
await bundle.write({
  dir: BUNDLED_PROGRAMS,
  cleanDir: true,
  // For a `.js` file outside a package, Node compiles twice to find out whether it is a module.
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});

// Only a process that exits by itself writes the cache of compiled code.
for (const name of Object.keys(PROGRAMS))
  spawnSync(process.execPath, [join(BUNDLED_PROGRAMS, `${name}.mjs`), '--version'], {
    env: { ...process.env, ENV_FILE: 'off', PORT: 'none' },
    stdio: 'ignore',
  });
