/**
 * Runs in the head of the document (web/build/head-script.ts), while the app is still on its way: starts the page's
 * first calls, which web/api/early-responses.ts hands to the app, and loads the page's code.
 */

import type { PageChunks } from '../../build/head-script.ts';
import { languageHeaders } from '../../lib/language/language.ts';
import { referrerOf } from '../../lib/values/referrer.ts';
import { EARLY_PAGES } from './early-pages.ts';
import { matchPage } from './match-page.ts';

/** Written by the build. */
declare const PAGE_CHUNKS: PageChunks;

for (const [index, { path, listCalls }] of EARLY_PAGES.entries()) {
  const params = matchPage(path, location.pathname);
  if (params) {
    const search = new URLSearchParams(location.search);
    startCalls(listCalls({ params, search, referrer: referrerOf(document.referrer) }));
    for (const chunk of PAGE_CHUNKS.byPage[index]!) preload(PAGE_CHUNKS.files[chunk]!);
  }
}

function startCalls(addresses: string[]): void {
  const headers = { accept: 'application/json', ...languageHeaders() };
  const started = addresses.map((address): [string, Promise<Response>] => {
    const response = fetch(address, { headers, credentials: 'same-origin' });
    // The app reports it, or calls again.
    response.catch(() => undefined);
    return [address, response];
  });
  globalThis.earlyResponses = new Map(started);
}

function preload(file: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', crossOrigin: '', href: `/${file}` }));
}
