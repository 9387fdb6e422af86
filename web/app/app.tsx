import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { BrowserRouter, Route, Routes } from 'react-router';
import { queryClient } from '../api/query-client.ts';
import { onSessionEnd } from '../api/session.ts';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { Toaster } from '../components/feedback/toaster.tsx';
import { TooltipProvider } from '../components/feedback/tooltip.tsx';
import { ErrorBoundary } from '../features/shell/error-page.tsx';
import { RouteChanges } from '../features/shell/route-changes.tsx';
import { SkipLink } from '../features/shell/skip-link.tsx';
import { followOtherTabs } from '../lib/browser/theme.ts';
import { type RouteAccess, RouteGuard } from './route-guard.tsx';
import { type AppRoute, ROUTES } from './routes.tsx';

/** With dialogs, menus and the sidebar it is heavier than what a recipient of a download should load. */
const DashboardFrame = lazy(() =>
  import('./dashboard-frame.tsx').then((module) => ({ default: module.DashboardFrame })),
);

onSessionEnd(() => {
  void import('../uploading/unfinished/resume-records.ts').then(({ reduceRecords }) => reduceRecords());
});

export function App() {
  useEffect(followOtherTabs, []);
  return (
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
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
        <Toaster />
      </TooltipProvider>
    </QueryClientProvider>
  );
}

/** The frame is behind the guard, too, so a refused page shows nothing around it. */
function renderDashboard(access: RouteAccess) {
  const routes = ROUTES.filter((route) => route.frame === 'dashboard' && route.access === access);
  return (
    <Route
      element={
        <RouteGuard access={access}>
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
