import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FaultProxy, startFaultProxy } from '../../testing/network/fault-proxy.ts';
import { findFreePort } from '../../testing/network/free-port.ts';
import { JourneyServer } from '../actions/journey-server.ts';
import type { BrowserDriver } from './browser-driver.ts';
import { BrowserPage } from './browser-page.ts';

export type LaunchBrowser = (folder: string) => Promise<BrowserDriver>;

const CHUNK = /^\/api\/upload\/chunk\/([^/]+\/\d+)(?:\?|$)/;

/** A browser, the product, and a proxy between them that can stop an upload. */
export class BrowserWorld {
  readonly server: JourneyServer;
  /** Chunks that reached the server, as `{uploadId}/{index}`, once per attempt. */
  readonly chunks: string[] = [];
  readonly #folder: string;
  readonly #proxy: FaultProxy;
  readonly #browser: BrowserDriver;
  /** The chunks that may pass before the line is silent. */
  #allowed = Number.POSITIVE_INFINITY;

  private constructor(folder: string, server: JourneyServer, proxy: FaultProxy, browser: BrowserDriver) {
    this.#folder = folder;
    this.server = server;
    this.#proxy = proxy;
    this.#browser = browser;
    const { recorder } = browser;
    proxy.decide = ({ method, url }) => {
      const [, chunk] = CHUNK.exec(url) ?? [];
      if (chunk && method === 'POST') return this.#pass(chunk) ? undefined : { kind: 'silence' };
      const isPage = method === 'GET' && !url.startsWith('/api/');
      return isPage && recorder ? { kind: 'insert-script', script: recorder } : undefined;
    };
  }

  static async start(launch: LaunchBrowser): Promise<BrowserWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-browser-'));
    const browser = await launch(folder);
    const port = await findFreePort();
    const proxy = await startFaultProxy(`http://127.0.0.1:${port}`);
    const server = new JourneyServer(port, { PUBLIC_URL: proxy.endpoint });
    await server.start();
    return new BrowserWorld(folder, server, proxy, browser);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#proxy.stop();
    await this.server.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A window of another person. */
  async openWindow(): Promise<BrowserPage> {
    return new BrowserPage(await this.#browser.openWindow());
  }

  addressOf(path: string): string {
    return this.#proxy.endpoint + path;
  }

  /** A folder for the files of a journey. */
  folderFor(journey: string): string {
    return join(this.#folder, journey);
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
