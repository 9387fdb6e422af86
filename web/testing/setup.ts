import { BrowserWindow, DetachedBrowser, DetachedWindowAPI } from 'happy-dom';
import { afterEach, expect } from 'vitest';
import { populateGlobal } from 'vitest/runtime';
// Imported before the window opens, so that the test client keeps Node's `fetch`.
import { type JourneyServer, startJourneyServer } from '../../e2e/servers/journey-server.ts';

export type PageWindow = {
  server: JourneyServer;
  addCookie(name: string, value: string): void;
  clearCookies(): void;
  setUrl(url: string): void;
  /** Sees every request of the page first. If undefined is returned, the request goes to the server. */
  intercept?: (request: Request) => Promise<Response | undefined>;
  /** What React warned about: props that a DOM element doesn't have, and elements that HTML doesn't allow there. */
  markupFaults: string[];
};

declare global {
  /** Test files share one process: the first starts the server and opens the window. */
  var pageWindow: PageWindow | undefined;
}

/** Classes of the window that replace Node's. */
const FOR_CALLS = ['fetch', 'Request', 'Response', 'Headers', 'AbortController', 'AbortSignal', 'FormData'];

globalThis.pageWindow ??= openWindow(await startServer());

// This file runs before each test file, but modules load only once, after the window has opened.
const { resetPage } = await import('./render-page.tsx');
afterEach(resetPage);
afterEach(() => expect(globalThis.pageWindow?.markupFaults.splice(0)).toEqual([]));

/** Vitest ends its processes by a signal, which would leave the server running. */
async function startServer(): Promise<JourneyServer> {
  const server = await startJourneyServer();
  const stop = () => void server.remove().finally(() => process.exit());
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  return server;
}

/** A window at the server's origin, so that calls have cookies. */
function openWindow(server: JourneyServer): PageWindow {
  const beforeAsyncRequest = ({ request }: { request: unknown }) =>
    Promise.resolve(globalThis.pageWindow?.intercept?.(request as Request)) as Promise<undefined>;
  const settings = { fetch: { interceptor: { beforeAsyncRequest } } };
  const browser = new DetachedBrowser(BrowserWindow, { settings });
  const { pages, cookieContainer } = browser.defaultContext;
  const frame = pages[0]!.mainFrame;
  Object.assign(pages[0]!.viewport, { width: 1280, height: 800 });
  const window = new BrowserWindow(frame, { url: server.url });
  frame.window = window;
  populateGlobal(globalThis, window, { bindFunctions: true, additionalKeys: FOR_CALLS });
  Object.assign(globalThis, { indexedDB: { open: refuseToOpen } });
  const api = new DetachedWindowAPI(frame);
  const originURL = new URL(server.url);
  return {
    server,
    addCookie: (key, value) => cookieContainer.addCookies([{ key, value, path: '/', originURL }]),
    clearCookies: () => cookieContainer.clearCookies(),
    setUrl: (url) => api.setURL(url),
    markupFaults: watchMarkup(),
  };
}

const FAULT =
  /^(React does not recognize the|Unknown event handler property|Invalid value for prop|In HTML, )/;

/** React logs each such fault once per process and renders the page anyway. */
function watchMarkup(): string[] {
  const found: string[] = [];
  const log = console.error;
  console.error = (...parts: unknown[]) => {
    if (FAULT.test(String(parts[0]))) found.push(String(parts[1]));
    log(...parts);
  };
  return found;
}

/** happy-dom has no IndexedDB. As in a private window, opening the database fails, and pages must work without it. */
function refuseToOpen(): object {
  const request: { error: Error; onerror?: () => void } = { error: new Error('Storage is switched off.') };
  queueMicrotask(() => request.onerror?.());
  return request;
}
