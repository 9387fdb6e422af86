/**
 * `npm run bench:pages`: how soon a stranger with a slow phone sees the landing page, cold. The network and
 * the processor are held back as Lighthouse's mobile preset does; the largest contentful paint is what Chromium
 * itself reports. Options: --rounds=N (5), --url=… (a running server instead of one of our own).
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium } from '@playwright/test';
import { startSendwell } from './servers.ts';

type Conditions = { name: string; latencyMs: number; downMbit: number; upMbit: number };
type Visit = {
  firstPaintMs: number;
  largestPaintMs: number;
  shift: number;
  bytes: number;
  scriptBytes: number;
};

const SLOW_DOWN = 4;
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
const CONDITIONS: Conditions[] = [
  { name: '1.6 Mbit/s, 150 ms', latencyMs: 150, downMbit: 1.6, upMbit: 0.75 },
  // What Lighthouse itself sets when it throttles in the browser, to make up for what is not simulated there.
  { name: '1.44 Mbit/s, 562 ms', latencyMs: 562.5, downMbit: 1.44, upMbit: 0.675 },
];

const READ_PAINTS = `new Promise((resolve) => {
  const seen = { firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) seen.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    seen.largestPaintMs = list.getEntries().at(-1).startTime;
    requestAnimationFrame(() => resolve(seen));
  }).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

const args = process.argv.slice(2);
const rounds = Number(readOption('rounds') ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'sendwell-landing-'));
const server = readOption('url') ? undefined : await startSendwell(folder);
const url = readOption('url') ?? `http://127.0.0.1:${server!.port}/`;
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });

try {
  console.log(`landing page, cold, processor ${SLOW_DOWN} times slower, medians of ${rounds} visits\n`);
  for (const conditions of CONDITIONS) {
    const visits: Visit[] = [];
    for (let round = 0; round < rounds; round += 1) visits.push(await visit(browser, conditions));
    report(conditions, visits);
  }
} finally {
  await browser.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** One visit by somebody who was never here. */
async function visit(browser: Browser, conditions: Conditions): Promise<Visit> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const received = await holdBack(devtools, conditions);
  await page.goto(url, { waitUntil: 'networkidle' });
  const seen = await page.evaluate<Omit<Visit, 'bytes' | 'scriptBytes'>>(READ_PAINTS);
  await context.close();
  return { ...seen, ...received };
}

/** Throttles; the answer counts what arrives, as it came over the wire. */
async function holdBack(devtools: CDPSession, { latencyMs, downMbit, upMbit }: Conditions) {
  const received = { bytes: 0, scriptBytes: 0 };
  const scripts = new Set<string>();
  await devtools.send('Network.enable');
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.bytes += encodedDataLength;
    if (scripts.has(requestId)) received.scriptBytes += encodedDataLength;
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

function report({ name }: Conditions, visits: Visit[]): void {
  const of = (figure: keyof Visit) => median(visits.map((each) => each[figure]));
  console.log(
    `  ${name.padEnd(20)} LCP ${Math.round(of('largestPaintMs'))} ms   FCP ${Math.round(of('firstPaintMs'))} ms` +
      `   CLS ${of('shift').toFixed(3)}   ${Math.round(of('bytes') / 1024)} KiB, of which script ${(of('scriptBytes') / 1024).toFixed(1)} KiB`,
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function readOption(name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function findChromium(): string | undefined {
  return ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
}
