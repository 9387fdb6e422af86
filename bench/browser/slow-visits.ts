/** A browser on a slow line and a slow processor, opening pages cold, as somebody who was never here. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test';

export type Conditions = { name: string; latencyMs: number; downMbit: number; upMbit: number };

/** Waited for until it is drawn and the page answers; by default nothing, and the visit ends when the network is idle. */
export type Visitor = { url: string; usableAt?: string; cookie?: string };

export type Visit = {
  firstPaintMs: number;
  largestPaintMs: number;
  shift: number;
  /** Undefined without `usableAt`. */
  usableMs: number | undefined;
  bytes: number;
  scriptBytes: number;
  scriptCount: number;
};

export const SLOW_DOWN = 4;
export const SLOW_LINE: Conditions = {
  name: '1.6 Mbit/s, 150 ms',
  latencyMs: 150,
  downMbit: 1.6,
  upMbit: 0.75,
};

const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
/** Wide enough for the sidebar. */
const DESK = { viewport: { width: 1280, height: 800 } };
const MAX_WAIT_MS = 120_000;

/** Usable: the element is drawn, and a task that was queued then has run. */
const watchUsable = (selector: string) => `(() => {
  const look = () => {
    if (!document.querySelector(${JSON.stringify(selector)})?.getClientRects().length) requestAnimationFrame(look);
    else setTimeout(() => becameUsable(performance.now()));
  };
  requestAnimationFrame(look);
})()`;

const READ_PAINTS = `new Promise((resolve) => {
  const seen = { firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    seen.largestPaintMs = list.getEntries().at(-1).startTime;
    requestAnimationFrame(() => resolve(seen));
  }).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

export const CHROMIUM =
  ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path)) ??
  chromium.executablePath();
export const CHROMIUM_FLAGS = ['--no-sandbox'];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
}

export async function visitSlowly(
  browser: Browser,
  { url, usableAt, cookie }: Visitor,
  conditions: Conditions,
): Promise<Visit> {
  const context = await browser.newContext(PHONE);
  if (cookie) await setCookie(context, cookie, url);
  const page = await context.newPage();
  const usable = usableAt === undefined ? undefined : await watchFor(page, usableAt);
  const devtools = await context.newCDPSession(page);
  const received = await holdBack(devtools, conditions);
  await page.goto(url, { waitUntil: 'commit' });
  const usableMs = await usable?.promise;
  // What a page fetches ahead for later is not counted.
  const needed = { ...received };
  await page.waitForLoadState('networkidle', { timeout: MAX_WAIT_MS });
  const seen = await page.evaluate<Pick<Visit, 'firstPaintMs' | 'largestPaintMs' | 'shift'>>(READ_PAINTS);
  await context.close();
  return { ...seen, usableMs, ...(usable ? needed : received) };
}

export type Navigation = {
  /** Until the first visible change after the click. */
  reactionMs: number;
  /** Until the next page's heading. */
  headingMs: number;
};

/** Clicks a link of a page that has been open for a while. */
const FOLLOW = (link: string) => `new Promise((resolve) => {
  const afterPaint = (run) => requestAnimationFrame(() => setTimeout(run));
  const headingOf = () => document.querySelector('main h1')?.textContent;
  const before = headingOf();
  const started = performance.now();
  const seen = {};
  const observer = new MutationObserver(() => {
    if (!seen.isReacting) afterPaint(() => { seen.reactionMs ??= performance.now() - started; });
    seen.isReacting = true;
    const heading = headingOf();
    if (!heading || heading === before) return;
    observer.disconnect();
    afterPaint(() => resolve({ reactionMs: seen.reactionMs, headingMs: performance.now() - started }));
  });
  observer.observe(document.querySelector('#root'), { subtree: true, childList: true, attributeFilter: ['aria-current'] });
  document.querySelector(${JSON.stringify(link)}).click();
})`;

/** A signed-in visit on a wide window, then a click on a link. */
export async function navigateSlowly(
  browser: Browser,
  { url, usableAt = 'main', cookie, link }: Visitor & { link: string },
  conditions: Conditions,
): Promise<Navigation> {
  const context = await browser.newContext(DESK);
  if (cookie) await setCookie(context, cookie, url);
  const page = await context.newPage();
  await holdBack(await context.newCDPSession(page), conditions);
  await page.goto(url);
  await page.locator(usableAt).first().waitFor({ timeout: MAX_WAIT_MS });
  await page.waitForLoadState('networkidle', { timeout: MAX_WAIT_MS });
  const navigation = await page.evaluate<Navigation>(FOLLOW(link));
  await context.close();
  return navigation;
}

async function setCookie(context: BrowserContext, cookie: string, url: string): Promise<void> {
  const [name, value] = cookie.split('=', 2) as [string, string];
  await context.addCookies([{ name, value, url: new URL(url).origin }]);
}

async function watchFor(page: Page, selector: string): Promise<PromiseWithResolvers<number>> {
  const usable = Promise.withResolvers<number>();
  setTimeout(() => usable.reject(new Error(`${selector} never appeared`)), MAX_WAIT_MS).unref();
  await page.exposeBinding('becameUsable', (_source, ms: number) => usable.resolve(ms));
  await page.addInitScript(watchUsable(selector));
  return usable;
}

/** Throttles; the answer counts what arrives, as it came over the wire. */
async function holdBack(devtools: CDPSession, { latencyMs, downMbit, upMbit }: Conditions) {
  const received = { bytes: 0, scriptBytes: 0, scriptCount: 0 };
  const scripts = new Set<string>();
  await devtools.send('Network.enable');
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.bytes += encodedDataLength;
    if (!scripts.has(requestId)) return;
    received.scriptBytes += encodedDataLength;
    received.scriptCount += 1;
  });
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: (downMbit * 1e6) / 8,
    uploadThroughput: (upMbit * 1e6) / 8,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  return received;
}
