/// <reference lib="webworker" />
import { PAGES, SHARE_FAILED_PAGE, SHARE_TARGET_PATH } from '../../contracts/values/addresses/pages.ts';
import { keepFiles } from '../lib/browser/kept-files.ts';

/**
 * Receives files that other apps share with the installed app, push messages, and clicks on notifications. It caches nothing and
 * answers no other request, so that downloads, ranges and uploads stay between the browser and the server. A new
 * version can therefore take over at once.
 */
type PushedNotice = { title: string; body?: string; tag?: string; path?: string };

const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([worker.skipWaiting(), bypassOtherRequests(event)]));
});

worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const isShare = method === 'POST' && new URL(url).pathname === SHARE_TARGET_PATH;
  if (isShare) event.respondWith(receiveShare(event.request));
});

worker.addEventListener('push', (event) => {
  // What the server sends (server/features/push); browsers demand that every push shows something.
  const { title, body, tag, path } = (event.data?.json() ?? { title: 'Sendwell' }) as PushedNotice;
  const options = { body, tag, icon: '/icon-192.png', data: { path } };
  event.waitUntil(worker.registration.showNotification(title, options));
});

worker.addEventListener('notificationclick', (event) => {
  const { data } = event.notification as { data?: { path?: string } };
  event.notification.close();
  event.waitUntil(showPage(data?.path ?? PAGES.dashboard));
});

/** `site.webmanifest` names the field. The upload page takes the files, after signing in if need be. */
async function receiveShare(request: Request): Promise<Response> {
  try {
    const form = await request.formData();
    const files = form.getAll('files').filter((entry) => entry instanceof File);
    await keepFiles({ files: files.map((file) => ({ file, relativePath: file.name })), roots: [] });
    return Response.redirect(PAGES.upload, 303);
  } catch {
    // The browser has no room for them.
    return Response.redirect(SHARE_FAILED_PAGE, 303);
  }
}

async function showPage(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find(({ url }) => new URL(url).pathname === path);
  if (shown) await shown.focus();
  else await worker.clients.openWindow(path);
}

type Route = { condition: object; source: 'network' };
type RoutedInstallEvent = ExtendableEvent & { addRoutes?: (routes: Route[]) => Promise<void> };

/** Browsers with static routing don't even start this script for other requests. */
async function bypassOtherRequests(event: RoutedInstallEvent): Promise<void> {
  const share = { urlPattern: { pathname: SHARE_TARGET_PATH } };
  // Browsers without `not` reject the route.
  await event.addRoutes?.([{ condition: { not: share }, source: 'network' }])?.catch(() => {});
}
