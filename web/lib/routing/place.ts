import { createContext, useCallback, useContext, useMemo } from 'react';
import type {
  Location,
  NavigateFunction,
  NavigationType,
  Params,
  SetURLSearchParams,
  To,
} from 'react-router';

export type Place = { location: Location; type: `${NavigationType}` };

export type Router = {
  place: Place;
  /** Stays the same between navigations. */
  navigate: NavigateFunction;
};

export const RouterContext = createContext<Router | undefined>(undefined);
/** The address that the browser shows: that of the next page while it is being prepared. */
export const NextPathContext = createContext('');
export const ParamsContext = createContext<Params>({});

export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error('No router is rendered around this component');
  return router;
}

export function useLocation(): Location {
  return useRouter().place.location;
}

export function useNavigate(): NavigateFunction {
  return useRouter().navigate;
}

export function useNavigationType(): `${NavigationType}` {
  return useRouter().place.type;
}

export function useParams(): Params {
  return useContext(ParamsContext);
}

/** The address's query, and a function that navigates to another one. */
export function useSearchParams(): [URLSearchParams, SetURLSearchParams] {
  const { place, navigate } = useRouter();
  const { search } = place.location;
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const setParams: SetURLSearchParams = useCallback(
    (next, options) => {
      const init = typeof next === 'function' ? next(new URLSearchParams(search)) : next;
      navigate({ search: String(new URLSearchParams(init as Record<string, string>)) }, options);
    },
    [search, navigate],
  );
  return [params, setParams];
}

type Path = Pick<Location, 'pathname' | 'search' | 'hash'>;

/** Completes a target; without a path it is another query or fragment of the current page. */
export function resolvePath(to: To, pathname: string): Path {
  const given = typeof to === 'string' ? parsePath(to) : to;
  return {
    pathname: given.pathname || pathname,
    search: withSign('?', given.search),
    hash: withSign('#', given.hash),
  };
}

function parsePath(path: string): Partial<Path> {
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? [];
  return { pathname, search, hash };
}

function withSign(sign: '?' | '#', part = ''): string {
  if (part === '' || part === sign) return '';
  return part.startsWith(sign) ? part : sign + part;
}

export function hrefOf({ pathname, search, hash }: Path): string {
  return pathname + search + hash;
}
