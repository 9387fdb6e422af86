import { build, type Plugin } from 'vite';

const SOURCE = new URL('../service-worker/service-worker.ts', import.meta.url).pathname;
/** At the root, because its place limits the pages it serves; without a hash, because browsers update it by its name. */
const FILE_NAME = 'service-worker.js';

/** Builds the service worker into one classic script. In development there is none. */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async generateBundle() {
      const built = await build({
        configFile: false,
        logLevel: 'warn',
        publicDir: false,
        build: {
          write: false,
          modulePreload: false,
          rolldownOptions: { input: SOURCE, output: { format: 'iife', entryFileNames: FILE_NAME } },
        },
      });
      if (!('output' in built)) throw new Error('The service worker was not built');
      this.emitFile({ type: 'asset', fileName: FILE_NAME, source: built.output[0].code });
    },
  };
}
