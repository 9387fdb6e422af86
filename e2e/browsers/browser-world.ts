import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FaultProxy, startFaultProxy } from '../../testing/network/fault-proxy.ts';
import { findFreePort } from '../../testing/network/free-port.ts';
import { JourneyServer } from '../servers/journey-server.ts';
import type { BrowserDriver, BrowserKind } from './browser-driver.ts';
import { BrowserPage } from './browser-page.ts';

const CHUNK = /^\/api\/upload\/chunk\/([^/]+\/\d+)(?:\?|$)/;

type Parts = { folder: string; server: JourneyServer; proxy: FaultProxy; browser: BrowserDriver };

/** A browser, the product, and a proxy between them that can stop an upload. */
export class BrowserWorld {
  /** Chunks that reached the server, as `{uploadId}/{index}`, once per attempt. */
  readonly chunks: string[] = [];
  readonly #parts: Parts;
  readonly #cleanUp: AsyncDisposableStack;
  /** The chunks that may pass before the line is silent. */
  #allowed = Number.POSITIVE_INFINITY;

  private constructor(parts: Parts, cleanUp: AsyncDisposableStack) {
    this.#parts = parts;
    this.#cleanUp = cleanUp;
    const { recorder } = parts.browser;
    parts.proxy.decide = ({ method, url }) => {
      const [, chunk] = CHUNK.exec(url) ?? [];
      if (chunk && method === 'POST') return this.#pass(chunk) ? undefined : { kind: 'silence' };
      const isPage = method === 'GET' && !url.startsWith('/api/');
      return isPage && recorder ? { kind: 'insert-script', script: recorder } : undefined;
    };
  }

  static async start({ launch }: BrowserKind): Promise<BrowserWorld> {
    // Stops what was started if something else does not start.
    await using started = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-browser-'));
    started.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
    const browser = await launch(folder);
    started.defer(() => browser.close());
    const port = await findFreePort();
    const proxy = await startFaultProxy(`http://127.0.0.1:${port}`);
    started.defer(() => proxy.stop());
    const server = new JourneyServer(port, { PUBLIC_URL: proxy.endpoint }, '127.0.0.1');
    started.defer(() => server.remove());
    await server.start();
    return new BrowserWorld({ folder, server, proxy, browser }, started.move());
  }

  async stop(): Promise<void> {
    await this.#cleanUp.disposeAsync();
  }

  get server(): JourneyServer {
    return this.#parts.server;
  }

  /** A window of another person. */
  async openWindow(): Promise<BrowserPage> {
    return new BrowserPage(await this.#parts.browser.openWindow());
  }

  addressOf(path: string): string {
    return this.#parts.proxy.endpoint + path;
  }

  /** A folder for the files of a journey. */
  folderFor(journey: string): string {
    return join(this.#parts.folder, journey);
  }

  /** After this many chunks, the next ones neither reach the server nor get an answer. */
  stopAfter(chunkCount: number): void {
    this.chunks.length = 0;
    this.#allowed = chunkCount;
  }

  letPass(): void {
    this.#allowed = Number.POSITIVE_INFINITY;
  }

  #pass(chunk: string): boolean {
    const passes = this.chunks.length < this.#allowed;
    if (passes) this.chunks.push(chunk);
    return passes;
  }
}
