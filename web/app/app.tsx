import { Trans } from '@lingui/react/macro';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch } from 'wouter';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { dismissStaleToast, firstToast } from '../components/feedback/toast.ts';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import { ErrorBoundary } from '../features/shell/error-page.tsx';
import { followThemeChanges } from '../lib/browser/theme.ts';
import { whenIdle } from '../lib/loading/when-idle.ts';
import { PageRouter, usePlace } from '../lib/routing.tsx';
import { type AppRoute, ROUTES } from './routes.tsx';

/** Lazy, because download pages need neither a session nor its dialogs and menus. */
const SignedInFrame = lazy(() =>
  import('./frames/signed-in-frame.tsx').then((module) => ({ default: module.SignedInFrame })),
);

/** After the page, unless a toast is waiting. */
const Overlays = lazy(async () => {
  await Promise.race([whenIdle(), firstToast()]);
  return { default: (await import('./overlays.tsx')).Overlays };
});

export function App() {
  useEffect(followThemeChanges, []);
  return (
    <ErrorBoundary>
      <PageRouter>
        <SkipLink />
        <Suspense fallback={<SpinnerPage />}>
          <Switch>{ROUTES.map(renderRoute)}</Switch>
        </Suspense>
        <RouteChanges />
        <Suspense fallback={null}>
          <Overlays />
        </Suspense>
      </PageRouter>
    </ErrorBoundary>
  );
}

/** The key is that of the frame, not of the page, so that the frame stays mounted between its pages. */
function renderRoute({ path, access, Page }: AppRoute) {
  return access === 'public' ? (
    <Route key="bare" path={path}>
      <Page />
    </Route>
  ) : (
    <Route key="signed-in" path={path}>
      <SignedInFrame access={access}>
        <Page />
      </SignedInFrame>
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
