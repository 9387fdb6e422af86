import type { CDPSession, Page, Request } from '@playwright/test';
import { KIB } from '../../contracts/values/sizes.ts';
import { expect } from './fixtures.ts';

const FIRST_CHUNKS = 3;
const CHUNK = /\/api\/upload\/chunk\/([^/]+\/\d+)(?:\?|$)/;

/** Records each chunk that a page sends and each that the server acknowledges. */
export class ChunkWatch {
  /** `{uploadId}/{index}`, once per attempt. */
  readonly sent: string[] = [];
  readonly acknowledged = new Set<string>();

  constructor(page: Page) {
    page.on('request', (request) => {
      const chunk = readChunk(request);
      if (chunk) this.sent.push(chunk);
    });
    page.on('response', (response) => {
      const chunk = readChunk(response.request());
      if (chunk && response.ok()) this.acknowledged.add(chunk);
    });
  }
}

function readChunk(request: Request): string | undefined {
  return CHUNK.exec(request.url())?.[1];
}

/** Starts an upload and stops in the middle: the first chunks are acknowledged, the others held in the browser. */
export async function holdHalfway(
  page: Page,
  watch: ChunkWatch,
  start: () => Promise<void>,
): Promise<{ release(): void }> {
  const { release } = await holdChunksAfter(page, FIRST_CHUNKS);
  await start();
  await expect.poll(() => watch.acknowledged.size, { timeout: 45_000 }).toBe(FIRST_CHUNKS);
  return { release };
}

/** Lets this many more chunks pass and holds the others in the browser. */
export async function holdChunksAfter(page: Page, count: number): Promise<{ release(): void }> {
  const gate = Promise.withResolvers<void>();
  let seen = 0;
  await page.route(CHUNK, async (route) => {
    seen += 1;
    if (seen > count) await gate.promise;
    await route.continue();
  });
  return { release: gate.resolve };
}

/**
 * Like `holdHalfway`, but the other chunks are sent so slowly that they don't arrive during the test. The connection
 * is slow while the page is open; closing the page lets running requests finish.
 */
export async function stopHalfway(page: Page, watch: ChunkWatch, start: () => Promise<void>): Promise<void> {
  const { release } = await holdHalfway(page, watch, start);
  await setLine(page, 'slow');
  release();
  await page.unrouteAll({ behavior: 'wait' });
}

const LINES = {
  normal: { offline: false, uploadThroughput: -1 },
  /** Bytes per second for all requests together. */
  slow: { offline: false, uploadThroughput: 32 * KIB },
  away: { offline: true, uploadThroughput: -1 },
};
/** One session per page, because limits of several sessions do not combine. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** Sets the page's network speed, also for running requests. */
export async function setLine(page: Page, line: keyof typeof LINES): Promise<void> {
  const opening = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opening);
  const conditions = { latency: 0, downloadThroughput: -1, ...LINES[line] };
  await (await opening).send('Network.emulateNetworkConditions', conditions);
}
