import { useEffect } from 'react';
import { Route, Switch } from 'wouter';
import { usePlace } from '../lib/routing.tsx';
import { type AppRoute, lazyComponent } from './loading/lazy-page.ts';
import { matchPage } from './loading/match-page.ts';
import { prefetchLinkedPages, prefetchNextPages } from './loading/prefetch-pages.ts';
import { ROUTES } from './routes.tsx';

/** Lazy, because public pages need neither its dialogs nor its menus. */
const SignedInFrame = lazyComponent(async () => (await import('./frames/signed-in-frame.tsx')).SignedInFrame);

/** The page of the address. The download page has a shorter way: see app.tsx. */
export function AllPages() {
  const { pathname } = usePlace();
  useEffect(prefetchLinkedPages, []);
  useEffect(() => void prefetchNextPages(pathname), [pathname]);
  return <Switch>{ROUTES.map(renderRoute)}</Switch>;
}

export async function preloadRoute(pathname: string): Promise<void> {
  const route = ROUTES.find(({ path }) => path === '*' || matchPage(path, pathname));
  await Promise.all([route?.Page.preload?.(), route?.access !== 'public' && SignedInFrame.preload()]);
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
