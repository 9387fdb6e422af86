import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** The first that is installed. Undefined means the one from `playwright install chromium`. */
const find = (...paths: string[]) =>
  process.env.PLAYWRIGHT_CHROMIUM ?? paths.find((path) => existsSync(path));
const BROWSER = find('/usr/bin/chromium', '/usr/bin/google-chrome');
const HEADLESS_SHELL = find('/usr/bin/chromium-headless-shell') ?? BROWSER;

/** Journeys that pause the page's clock have this tag: only the full browser draws frames then. */
const FULL_BROWSER = /@full-browser/;

const launchOptions = (executablePath: string | undefined) => ({
  ...(executablePath && { executablePath }),
  args: [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-dev-shm-usage',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
});

/**
 * The journeys: the built product in Chromium, as people use it. `e2e/actions/fixtures.ts` starts the servers. Journeys
 * tagged `@all` run only in `npm run test:all`, as do those in other browsers (`e2e/browsers`).
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // For runs by hand. bin/test.ts runs shards of one worker each.
  workers: 2,
  // A journey that passes only on the second attempt is reported as flaky, which is a defect to fix.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    // By default it says HeadlessChrome, whose visits don't count as views.
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    // Not UTC, so that confusing local time with UTC fails a test.
    timezoneId: 'Europe/Berlin',
    // Some journeys replace answers, which a service worker would hide from Playwright.
    serviceWorkers: 'block',
    // Animations cost processor time without a GPU. send-and-receive.spec.ts turns them on.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'browser', grep: FULL_BROWSER, use: { launchOptions: launchOptions(BROWSER) } },
    { name: 'shell', grepInvert: FULL_BROWSER, use: { launchOptions: launchOptions(HEADLESS_SHELL) } },
  ],
});
