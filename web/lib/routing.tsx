import {
  type ComponentProps,
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { type NavigateOptions, Router, Link as RouterLink } from 'wouter';
import { navigate as navigateBrowser, usePathname } from 'wouter/use-browser-location';

/** What our pages need of the address beyond wouter: see docs/decisions/0039. */
export type Place = {
  pathname: string;
  search: string;
  hash: string;
  /** Kept with the history entry. */
  state: unknown;
  /** Identifies the history entry. */
  key: string;
  /** `POP`: opened by loading the document or by the browser's history. */
  type: 'POP' | 'PUSH' | 'REPLACE';
};

/** What we keep in a history entry. */
type Entry = Partial<Pick<Place, 'state' | 'key'>> | null;
type Navigate = (to: string | URL, options?: NavigateOptions) => void;

const PlaceContext = createContext<{ place: Place; navigate: Navigate } | undefined>(undefined);

function usePlaceContext() {
  const context = useContext(PlaceContext);
  if (!context) throw new Error('No PageRouter is rendered around this component');
  return context;
}

/** The place of the shown page, which changes when the next page is ready. */
export function usePlace(): Place {
  return usePlaceContext().place;
}

/** A wouter router that shows the old page until the next one is ready. */
export function PageRouter({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState(() => readPlace('POP'));
  useLayoutEffect(() => {
    const follow = () => startTransition(() => setPlace(readPlace('POP')));
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);
  const navigate = useCallback<Navigate>((to, options = {}) => {
    // As browsers do: a link to the page itself adds no history entry.
    const { replace = isCurrent(to), state = null } = options;
    const key = Math.random().toString(36).slice(2);
    navigateBrowser(to, { replace, state: { state, key } satisfies Entry });
    startTransition(() => setPlace(readPlace(replace ? 'REPLACE' : 'PUSH')));
  }, []);
  const context = useMemo(() => ({ place, navigate }), [place, navigate]);
  return (
    <PlaceContext value={context}>
      <Router hook={usePageLocation} searchHook={usePageSearch}>
        {children}
      </Router>
    </PlaceContext>
  );
}

function usePageLocation(): [string, Navigate] {
  const { place, navigate } = usePlaceContext();
  return [place.pathname, navigate];
}

/** wouter decodes the query before it parses it, which would decode "%2526" twice. */
function usePageSearch(): string {
  return usePlace().search.replaceAll('%', '%25');
}

function isCurrent(to: string | URL): boolean {
  return new URL(to, window.location.href).href === window.location.href;
}

function readPlace(type: Place['type']): Place {
  const { pathname, search, hash } = window.location;
  const entry = window.history.state as Entry;
  return { pathname, search, hash, state: entry?.state ?? null, key: entry?.key ?? 'first', type };
}

export type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  to: string;
  replace?: boolean;
  /** Kept with the history entry. */
  state?: unknown;
  /** Loads the address from the server: it is no page of the application. */
  reloadDocument?: boolean;
};

/** wouter's link, except that the browser opens other documents and windows. */
export function Link({ to, replace, state, reloadDocument, ...anchor }: LinkProps) {
  if (reloadDocument || anchor.target) return <a {...anchor} href={to} />;
  return <RouterLink {...anchor} {...{ to, replace, state }} />;
}

/** Is marked as the current page from the click on, not only when the next page is ready. */
export function NavLink({ isExact = false, ...link }: LinkProps & { isExact?: boolean }) {
  const path = trim(usePathname());
  const ours = trim(link.to);
  const isCurrent = path === ours || (!isExact && path.startsWith(`${ours}/`));
  return <Link {...link} aria-current={isCurrent ? 'page' : undefined} />;
}

function trim(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '');
}

/** The address of a page with this query, which may be empty. */
export function withQuery(path: string, query: string): string {
  return query ? `${path}?${query.replace(/^\?/, '')}` : path;
}
