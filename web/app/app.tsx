import { Trans } from '@lingui/react/macro';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch } from 'wouter';
import { queryClient } from '../api/query-client.ts';
import { onSessionEnd } from '../api/session/session.ts';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { dismissStaleToast, firstToast } from '../components/feedback/toast.ts';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import { TooltipLayer } from '../components/tooltips/tooltip-layer.tsx';
import { ErrorBoundary } from '../features/shell/error-page.tsx';
import { followThemeChanges } from '../lib/browser/theme.ts';
import { whenIdle } from '../lib/loading/when-idle.ts';
import { PageRouter, usePlace } from '../lib/routing.tsx';
import { refuseStrayDrops } from '../uploading/files/stray-drops.ts';
import { prefetchLinkedPages, prefetchNextPages } from './loading/prefetch-pages.ts';
import { RouteGuard } from './route-guard.tsx';
import { type AppRoute, ROUTES } from './routes.tsx';

/** Lazy, because download pages don't need its dialogs and menus. */
const DashboardFrame = lazy(() =>
  import('./frames/dashboard-frame.tsx').then((module) => ({ default: module.DashboardFrame })),
);

/** After the page, unless it is needed earlier. */
const Toaster = lazy(async () => {
  await Promise.race([whenIdle(), firstToast()]);
  return { default: (await import('../components/feedback/toaster.tsx')).Toaster };
});

onSessionEnd(() => {
  void import('../uploading/unfinished/reduce-records.ts').then(({ reduceAll }) => reduceAll());
});

export function App() {
  useEffect(followThemeChanges, []);
  useEffect(refuseStrayDrops, []);
  useEffect(prefetchLinkedPages, []);
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <PageRouter>
          <SkipLink />
          <Suspense fallback={<SpinnerPage />}>
            <Switch>{ROUTES.map(renderRoute)}</Switch>
          </Suspense>
          <RouteChanges />
        </PageRouter>
      </ErrorBoundary>
      <Suspense fallback={null}>
        <Toaster />
      </Suspense>
      <TooltipLayer />
    </QueryClientProvider>
  );
}

/**
 * The key is that of the frame, not of the page, so that the frame stays mounted between its pages. The guard wraps the
 * frame, so that a refused page renders no frame.
 */
function renderRoute({ path, access, frame, Page }: AppRoute) {
  return (
    <Route key={frame} path={path}>
      {frame === 'dashboard' ? (
        <RouteGuard access={access} pending={<DashboardFrame />}>
          <DashboardFrame>
            <Page />
          </DashboardFrame>
        </RouteGuard>
      ) : (
        <RouteGuard access={access}>
          <Page />
        </RouteGuard>
      )}
    </Route>
  );
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
  useEffect(() => void prefetchNextPages(pathname), [pathname]);
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
