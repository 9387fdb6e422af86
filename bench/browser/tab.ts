import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CHROMIUM, CHROMIUM_FLAGS } from './slow-visits.ts';

type Answer = {
  id?: number;
  method?: string;
  result?: unknown;
  error?: { message: string };
  params?: unknown;
};
type Waiting = PromiseWithResolvers<unknown>;

/** How often a page looks whether something has happened in it. */
const LOOK_MS = 100;

/** For scripts in the page: what assistive technology calls an element, as far as these pages need it. */
const HELPERS = `
  const nameOf = (element) => (element.getAttribute('aria-label') ??
    document.getElementById(element.getAttribute('aria-labelledby'))?.textContent ??
    element.labels?.[0]?.textContent ?? element.textContent).trim();
  const find = (selector, name) => [...document.querySelectorAll(selector)].find((each) => name.test(nameOf(each)));
  const until = (look) => new Promise((resolve) => {
    const timer = setInterval(() => {
      const found = look();
      if (!found) return;
      clearInterval(timer);
      resolve(found);
    }, ${LOOK_MS});
  });`;

/**
 * A tab in a Chromium with its own profile, driven by the DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol/). Playwright records the network, for which the tab copies and
 * keeps every response: that halves the speed of saving and needs 200 MiB.
 */
export class Tab {
  readonly #browser: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #downloaded = Promise.withResolvers<void>();
  #nextId = 1;
  #session: string | undefined;

  private constructor(browser: ChildProcess) {
    this.#browser = browser;
    let text = '';
    (browser.stdio[4] as Readable).setEncoding('utf8').on('data', (piece: string) => {
      const messages = (text + piece).split('\0');
      text = messages.pop()!;
      for (const message of messages) this.#receive(JSON.parse(message) as Answer);
    });
    browser.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Chromium has ended'));
    });
  }

  /** `script` runs in every page before its own scripts, `cookie` is "name=value" for `url`. */
  static async open(
    profile: string,
    { script, cookie, url }: { script: string; cookie: string; url: string },
  ): Promise<Tab> {
    const flags = ['--headless=new', '--remote-debugging-pipe', '--window-size=1280,800', '--no-first-run'];
    const browser = spawn(CHROMIUM, [...CHROMIUM_FLAGS, ...flags, `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const downloads = join(profile, 'downloads');
    const tab = new Tab(browser);
    const [name, value] = cookie.split('=');
    await tab.#send('Storage.setCookies', { cookies: [{ name, value, url }] });
    const behavior = { behavior: 'allow', downloadPath: downloads, eventsEnabled: true };
    await tab.#send('Browser.setDownloadBehavior', behavior);
    const { targetId } = await tab.#send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
    const attached = await tab.#send<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    tab.#session = attached.sessionId;
    await tab.#sendToTab('Page.enable');
    await tab.#sendToTab('Page.addScriptToEvaluateOnNewDocument', { source: script });
    return tab;
  }

  async visit(url: string): Promise<void> {
    await this.#sendToTab('Page.navigate', { url });
    await this.waitFor(
      `location.href.startsWith(${JSON.stringify(url)}) && document.readyState === 'complete'`,
    );
  }

  /** The value of an expression, or of its promise. It can call `nameOf`, `find` and `until`, see HELPERS. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#sendToTab<{
      result: { value: T };
      exceptionDetails?: { exception?: { description?: string } };
    }>('Runtime.evaluate', {
      expression: `(() => { ${HELPERS} return ${expression}; })()`,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'The page failed');
    return result.value;
  }

  /** Waits until the expression is true. */
  async waitFor(expression: string): Promise<void> {
    await this.run(`until(() => ${expression}).then(() => undefined)`);
  }

  /** Waits until it is there. */
  async click(selector: string, name: RegExp): Promise<void> {
    await this.run(`until(() => find('${selector}', ${name})).then((each) => { each.click(); })`);
  }

  async drop(files: string[]): Promise<void> {
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.#sendToTab('Input.dispatchDragEvent', { type, x: 200, y: 400, data });
  }

  /** Resolves when the first download is complete. */
  async download(): Promise<void> {
    await this.#downloaded.promise;
  }

  /** Process ids of all tabs of this browser. */
  async listRenderers(): Promise<number[]> {
    const { processInfo } = await this.#send<{ processInfo: { type: string; id: number }[] }>(
      'SystemInfo.getProcessInfo',
    );
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  }

  async close(): Promise<void> {
    const ended = once(this.#browser, 'exit');
    void this.#send('Browser.close').catch(() => undefined);
    await ended;
  }

  #sendToTab<T>(method: string, params: object = {}): Promise<T> {
    return this.#send(method, params, this.#session);
  }

  /** To the browser, unless a session is given. */
  #send<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = this.#nextId;
    this.#nextId += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    (this.#browser.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return waiting.promise as Promise<T>;
  }

  #receive({ id, method, result, error, params }: Answer): void {
    if (method === 'Browser.downloadProgress') {
      const { state } = params as { state: string };
      if (state === 'completed') this.#downloaded.resolve();
      if (state === 'canceled') this.#downloaded.reject(new Error('The download was canceled'));
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}
