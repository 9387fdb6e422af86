import { dirname } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import pages from '../vite.config.ts';

/**
 * The component tests: the application in happy-dom, with calls to a real server. Without the plugins that only
 * shape the build; one of them drops the response schemas that the client of tests needs.
 */
export default defineConfig({
  root: dirname(import.meta.dirname),
  plugins: [react()],
  resolve: pages.resolve ?? {},
  test: {
    include: ['**/*.test.tsx'],
    setupFiles: ['testing/setup.ts'],
    // One process, one window and one server for all files: starting them takes longer than most tests.
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    // As long as Playwright gives a journey; only a test that hangs takes so long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
