import { Trans } from '@lingui/react/macro';
import { type ComponentType, Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch } from 'wouter';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { dismissStaleToast, firstToast } from '../components/feedback/toast.ts';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import { ErrorBoundary } from '../features/shell/error-page.tsx';
import { followThemeChanges } from '../lib/browser/theme.ts';
import { whenIdle } from '../lib/loading/when-idle.ts';
import { PageRouter, usePlace } from '../lib/routing.tsx';
import { refuseStrayDrops } from '../uploading/files/stray-drops.ts';
import { DOWNLOAD_ROUTE } from './download-route.ts';
import { lazyComponent } from './loading/lazy-page.ts';
import { matchPage } from './loading/match-page.ts';

/** Lazy, because the download page needs neither a session nor the list of pages. */
const AllPages = lazyComponent(async () => (await import('./all-pages.tsx')).AllPages);

/** Loads the code of the page, so that it can be rendered without a spinner before it. */
export async function preloadPage(pathname: string): Promise<void> {
  if (matchPage(DOWNLOAD_ROUTE.path, pathname)) return void (await DOWNLOAD_ROUTE.Page.preload?.());
  await AllPages.preload();
  const { preloadRoute } = await import('./all-pages.tsx');
  await preloadRoute(pathname);
}

export function App() {
  useEffect(followThemeChanges, []);
  useEffect(refuseStrayDrops, []);
  return (
    <ErrorBoundary>
      <PageRouter>
        <SkipLink />
        <Suspense fallback={<SpinnerPage />}>
          <Switch>
            <Route path={DOWNLOAD_ROUTE.path}>
              <DOWNLOAD_ROUTE.Page />
            </Route>
            <Route>
              <AllPages />
            </Route>
          </Switch>
        </Suspense>
        <RouteChanges />
        <LateOverlays />
      </PageRouter>
    </ErrorBoundary>
  );
}

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Starts after the page has loaded, or when there is a toast, and tries again until it succeeds. A failure must not
 * reach the error boundary: the page works without its overlays, and an upload may be running on it.
 */
async function loadOverlays() {
  await Promise.race([whenIdle(), firstToast()]);
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await import('./overlays.tsx');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Not by `Suspense`, because React delays what replaces a fallback by up to 300 ms. */
function LateOverlays() {
  const [loaded, setLoaded] = useState<{ Overlays: ComponentType }>();
  useEffect(() => void loadOverlays().then(setLoaded), []);
  return loaded && <loaded.Overlays />;
}

/** WCAG 2.4.1 */
function SkipLink() {
  const skip = () => document.getElementById('main')?.focus();
  return (
    <button
      type="button"
      onClick={skip}
      className="sr-only rounded-full bg-accent px-5 py-2.5 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
    >
      <Trans>Skip to content</Trans>
    </button>
  );
}

/** Pages set their titles after the route changes. */
const SETTLE_MS = 300;

/**
 * Imitates a page load: scrolls to the top, announces the title and closes the previous page's error toast. History
 * navigation keeps the scroll position.
 */
function RouteChanges() {
  const { pathname, type } = usePlace();
  const isNew = type !== 'POP';
  const lastPath = useRef(pathname);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    dismissStaleToast();
    if (isNew) window.scrollTo(0, 0);
    const timer = setTimeout(() => setAnnouncement(document.title), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [pathname, isNew]);
  return <VisuallyHidden isAnnounced>{announcement}</VisuallyHidden>;
}
