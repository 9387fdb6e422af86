import { Trans } from '@lingui/react/macro';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { BrowserRouter, Route, Routes, useLocation, useNavigationType } from 'react-router';
import { queryClient } from '../api/query-client.ts';
import { onSessionEnd } from '../api/session.ts';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { dismissStaleToast, firstToast } from '../components/feedback/toast.ts';
import { TooltipLayer } from '../components/feedback/tooltip-layer.tsx';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import { ErrorBoundary } from '../features/shell/error-page.tsx';
import { followThemeChanges } from '../lib/browser/theme.ts';
import { whenIdle } from '../lib/browser/when-idle.ts';
import { refuseStrayDrops } from '../uploading/files/stray-drops.ts';
import { prefetchLinkedPages, prefetchNextPages } from './prefetch-pages.ts';
import { type RouteAccess, RouteGuard } from './route-guard.tsx';
import { type AppRoute, ROUTES } from './routes.tsx';

/** Lazy, because download pages don't need its dialogs and menus. */
const DashboardFrame = lazy(() =>
  import('./dashboard-frame.tsx').then((module) => ({ default: module.DashboardFrame })),
);

/** After the page, unless it is needed earlier. */
const Toaster = lazy(async () => {
  await Promise.race([whenIdle(), firstToast()]);
  return { default: (await import('../components/feedback/toaster.tsx')).Toaster };
});

onSessionEnd(() => {
  void import('../uploading/unfinished/resume-records.ts').then(({ reduceRecords }) => reduceRecords());
});

export function App() {
  useEffect(followThemeChanges, []);
  useEffect(refuseStrayDrops, []);
  useEffect(prefetchLinkedPages, []);
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <BrowserRouter>
          <SkipLink />
          <Suspense fallback={<SpinnerPage />}>
            <Routes>
              {ROUTES.filter(({ frame }) => frame === 'bare').map(renderRoute)}
              {renderDashboard('signed-in')}
              {renderDashboard('admin')}
            </Routes>
          </Suspense>
          <RouteChanges />
        </BrowserRouter>
      </ErrorBoundary>
      <Suspense fallback={null}>
        <Toaster />
      </Suspense>
      <TooltipLayer />
    </QueryClientProvider>
  );
}

/** The guard wraps the frame, so that a refused page renders no frame. */
function renderDashboard(access: RouteAccess) {
  const routes = ROUTES.filter((route) => route.frame === 'dashboard' && route.access === access);
  return (
    <Route
      element={
        <RouteGuard access={access} pending={<DashboardFrame />}>
          <DashboardFrame />
        </RouteGuard>
      }
    >
      {routes.map(renderRoute)}
    </Route>
  );
}

function renderRoute({ path, access, Page }: AppRoute) {
  return (
    <Route
      key={path}
      path={path}
      element={
        <RouteGuard access={access}>
          <Page />
        </RouteGuard>
      }
    />
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
  const { pathname } = useLocation();
  const isNew = useNavigationType() !== 'POP';
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
