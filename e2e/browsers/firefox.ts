import { existsSync } from 'node:fs';
import {
  type BrowserContext,
  type ConsoleMessage,
  type ElementHandle,
  launch,
  type Page,
} from 'puppeteer-core';
import type { BrowserDriver, BrowserKind, BrowserWindow } from './browser-driver.ts';

/** Ubuntu has no package firefox-esr, but its runners have the current Firefox. */
const PROGRAM = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

/** A busy machine may need long for a start. */
const START_MS = 120_000;

export const firefox: BrowserKind = {
  name: 'Firefox',
  packages: 'firefox-esr',
  canStage: true,
  isInstalled: () => PROGRAM !== undefined,
  launch: launchFirefox,
};

/** Without a screen, driven by WebDriver BiDi. All windows save downloads in one folder. */
async function launchFirefox(downloadFolder: string): Promise<BrowserDriver> {
  const browser = await launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath: PROGRAM!,
    headless: true,
    timeout: START_MS,
    protocolTimeout: START_MS,
    defaultViewport: { width: 1280, height: 800 },
    extraPrefsFirefox: {
      'browser.download.dir': downloadFolder,
      // The folder above.
      'browser.download.folderList': 2,
      'browser.download.useDownloadDir': true,
      'browser.download.alwaysOpenPanel': false,
      'intl.accept_languages': 'en-US',
    },
  });
  return {
    openWindow: async () => openWindow(await browser.createBrowserContext(), downloadFolder),
    close: () => browser.close(),
  };
}

async function openWindow(context: BrowserContext, downloadFolder: string): Promise<BrowserWindow> {
  const page = await context.newPage();
  const problems: Promise<string>[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(formatMessage(message));
  });
  page.on('pageerror', (error) => void problems.push(Promise.resolve(String(error))));
  // Leaving a page with an unfinished upload.
  page.on('dialog', (dialog) => void dialog.accept());
  return {
    downloadFolder,
    goTo: async (url) => void (await page.goto(url, { timeout: START_MS })),
    reload: async () => void (await page.reload({ timeout: START_MS })),
    evaluate: (expression) => page.evaluate(expression),
    click: async (element) => (await findElement(page, element)).click(),
    type: async (element, text) => (await findElement(page, element)).type(text),
    setFiles: async (input, paths) => (await findElement(page, input)).uploadFile(...paths),
    takeProblems: () => Promise.all(problems.splice(0)),
    close: () => context.close(),
  };
}

/** With the text of logged errors, if the page is still there. */
async function formatMessage(message: ConsoleMessage): Promise<string> {
  const parts = message.args().map((part) => part.evaluate((value) => String(value)));
  return Promise.all(parts).then(
    (texts) => texts.join(' '),
    () => message.text(),
  );
}

async function findElement(page: Page, expression: string): Promise<ElementHandle> {
  const element = (await page.evaluateHandle(expression)).asElement();
  if (!element) throw new Error(`No element: ${expression}`);
  return element as ElementHandle;
}
