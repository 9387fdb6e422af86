import { dirname, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { messages } from '../build/catalogues/messages.ts';
import pages from '../vite.config.ts';

/**
 * Tests of the pages: `*.test.ts` in Node; `*.test.tsx` with the application in happy-dom and a real server. Leaves
 * out the plugins that only matter for the build; one of them drops the response schemas that the test client needs.
 */
export default defineConfig({
  root: dirname(import.meta.dirname),
  plugins: [messages(), react()],
  resolve: pages.resolve ?? {},
  test: {
    // One process, one window and one server for all files: starting them takes longer than most tests.
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    // See bin/gate/tasks.ts.
    execArgv: ['--external-memory-accounted-in-global-limit'],
    // As in Playwright; only a test that hangs takes this long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'units', include: ['**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'components',
          include: ['**/*.test.tsx'],
          setupFiles: [join(import.meta.dirname, 'setup.ts')],
        },
      },
    ],
  },
});
