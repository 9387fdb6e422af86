/**
 * Runs in the head of the document (web/build/head-script.ts), while the app is still on its way: starts the page's
 * first calls, which web/api/early-responses.ts hands to the app, and loads the page's code.
 */
import { referrerOf } from '../../lib/values/referrer.ts';
import { EARLY_PAGES } from './early-pages.ts';
import { matchPage } from './match-page.ts';

/** By the page's path; written by the build. */
declare const PAGE_CHUNKS: Record<string, string[]>;

for (const { path, listCalls } of EARLY_PAGES) {
  const params = matchPage(path, location.pathname);
  if (params) {
    const search = new URLSearchParams(location.search);
    startCalls(listCalls({ params, search, referrer: referrerOf(document.referrer) }));
    preload(PAGE_CHUNKS[path] ?? []);
  }
}

function startCalls(addresses: string[]): void {
  const headers = { accept: 'application/json' };
  const started = addresses.map((address): [string, Promise<Response>] => {
    const response = fetch(address, { headers, credentials: 'same-origin' });
    // The app reports it, or calls again.
    response.catch(() => undefined);
    return [address, response];
  });
  globalThis.earlyResponses = new Map(started);
}

function preload(chunks: string[]): void {
  for (const href of chunks) {
    const link = Object.assign(document.createElement('link'), {
      rel: 'modulepreload',
      crossOrigin: '',
      href,
    });
    document.head.append(link);
  }
}
