import type { CDPSession, Page, Request } from '@playwright/test';
import { KIB } from '../../contracts/values/sizes.ts';
import { expect } from './fixtures.ts';

const FIRST_CHUNKS = 3;
const CHUNK = /\/api\/upload\/chunk\/([^/]+\/\d+)(?:\?|$)/;

/** Sees each chunk that leaves a page, and each that the server has acknowledged. */
export class ChunkWatch {
  /** `{uploadId}/{index}`, as often as it was sent. */
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

/** Starts an upload and leaves it in its middle: the first chunks are acknowledged, the others held in the browser. */
export async function holdHalfway(
  page: Page,
  watch: ChunkWatch,
  start: () => Promise<void>,
): Promise<{ release(): void }> {
  const gate = Promise.withResolvers<void>();
  let seen = 0;
  await page.route(CHUNK, async (route) => {
    seen += 1;
    if (seen > FIRST_CHUNKS) await gate.promise;
    await route.continue();
  });
  await start();
  await expect.poll(() => watch.acknowledged.size, { timeout: 45_000 }).toBe(FIRST_CHUNKS);
  return { release: gate.resolve };
}

/**
 * The same, with the others dripping through a line so slow that they will not arrive while the test runs. The
 * line is slow for as long as the page is open: closing it lets what is under way through.
 */
export async function stopHalfway(page: Page, watch: ChunkWatch, start: () => Promise<void>): Promise<void> {
  const { release } = await holdHalfway(page, watch, start);
  await setLine(page, 'slow');
  release();
  await page.unrouteAll({ behavior: 'wait' });
}

const LINES = {
  normal: { offline: false, uploadThroughput: -1 },
  /** Bytes per second, all requests together. */
  slow: { offline: false, uploadThroughput: 32 * KIB },
  away: { offline: true, uploadThroughput: -1 },
};
/** One for each page: what several sessions say about the same line is not added up in a useful way. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** What the page's line to the world is like from now on, also for what is under way. */
export async function setLine(page: Page, line: keyof typeof LINES): Promise<void> {
  const opening = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opening);
  const conditions = { latency: 0, downloadThroughput: -1, ...LINES[line] };
  await (await opening).send('Network.emulateNetworkConditions', conditions);
}
