import { type ReactNode, startTransition, useCallback, useLayoutEffect, useMemo, useState } from 'react';
import type { Location, NavigateFunction, NavigateOptions, To } from 'react-router';
import { hrefOf, NextPathContext, type Place, type Router, RouterContext, resolvePath } from './place.ts';

/** What we keep in a history entry. */
type Entry = { usr?: unknown; key?: string } | null;

/** Follows the browser's history. The old page stays until the next one is ready. */
export function BrowserRouter({ children }: { children?: ReactNode }) {
  const [place, setPlace] = useState<Place>(() => ({ location: readLocation(), type: 'POP' }));
  const [nextPath, setNextPath] = useState(place.location.pathname);
  const go = useCallback((type: Place['type']) => {
    const location = readLocation();
    setNextPath(location.pathname);
    startTransition(() => setPlace({ location, type }));
  }, []);
  useLayoutEffect(() => {
    const follow = () => go('POP');
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, [go]);
  const navigate = useCallback<NavigateFunction>(
    (to: To | number, { replace = false, state = null }: NavigateOptions = {}) => {
      if (typeof to === 'number') return window.history.go(to);
      const href = hrefOf(resolvePath(to, window.location.pathname));
      const entry: Entry = { usr: state, key: Math.random().toString(36).slice(2, 10) };
      if (replace) window.history.replaceState(entry, '', href);
      else window.history.pushState(entry, '', href);
      go(replace ? 'REPLACE' : 'PUSH');
    },
    [go],
  );
  return <Provider {...{ place, nextPath, navigate, children }} />;
}

/** For pages that are rendered to HTML. */
export function StaticRouter({ location, children }: { location: string; children?: ReactNode }) {
  const place: Place = {
    location: { ...resolvePath(location, '/'), state: null, key: 'default' } as Location,
    type: 'POP',
  };
  return <Provider {...{ place, nextPath: place.location.pathname, navigate: () => {}, children }} />;
}

function Provider({
  place,
  nextPath,
  navigate,
  children,
}: Router & { nextPath: string; children: ReactNode }) {
  const router = useMemo(() => ({ place, navigate }), [place, navigate]);
  return (
    <NextPathContext value={nextPath}>
      <RouterContext value={router}>{children}</RouterContext>
    </NextPathContext>
  );
}

function readLocation(): Location {
  const { pathname, search, hash } = window.location;
  const entry = window.history.state as Entry;
  return { pathname, search, hash, state: entry?.usr ?? null, key: entry?.key ?? 'default' } as Location;
}
