import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/google-chrome'];
/** undefined: the one that `playwright install chromium` brings. */
const executablePath = process.env.PLAYWRIGHT_CHROMIUM ?? SYSTEM_BROWSERS.find((path) => existsSync(path));

/** The journeys: the built product in Chromium, as people use it. `e2e/fixtures.ts` starts the servers. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Each worker has a server and a browser of its own; two keep two cores busy without starving one another.
  workers: 2,
  // A journey that needed its second try is told as flaky, by name, at the end: it is to be mended.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    // Not UTC, so that a mix-up of local and universal time shows.
    timezoneId: 'Europe/Berlin',
    // Pictures in motion are drawn by the processor here; send-and-receive.spec.ts keeps them.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-dev-shm-usage',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});
