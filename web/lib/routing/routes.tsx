import {
  Children,
  createContext,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from 'react';
import type { Params } from 'react-router';
import { ParamsContext, useRouter } from './place.ts';

type RouteProps = {
  /** A whole path. Absent for a frame around other routes. */
  path?: string;
  element: ReactNode;
  children?: ReactNode;
};

/** Only a description, which `Routes` reads. */
export function Route(_props: RouteProps): ReactElement | null {
  return null;
}

const OutletContext = createContext<ReactNode>(null);

/** The page, in a frame around it. */
export function Outlet() {
  return useContext(OutletContext);
}

/** Renders the route of the current path: first those without parameters, last the one for any path. */
export function Routes({ children }: { children?: ReactNode }) {
  const { pathname } = useRouter().place.location;
  const leaves = listLeaves(children).sort((one, other) => rankOf(one.path) - rankOf(other.path));
  for (const { path, elements } of leaves) {
    const params = matchPath(path, pathname);
    if (params) return <Nested {...{ params, elements }} />;
  }
  return null;
}

type Leaf = { path: string; elements: ReactNode[] };

function listLeaves(routes: ReactNode, frames: ReactNode[] = []): Leaf[] {
  return Children.toArray(routes).flatMap((route) => {
    if (!isValidElement<RouteProps>(route)) return [];
    const { path, element, children } = route.props;
    if (route.type === Fragment) return listLeaves(children, frames);
    const elements = [...frames, element];
    return path === undefined ? listLeaves(children, elements) : [{ path, elements }];
  });
}

function rankOf(path: string): number {
  return path === '*' ? 2 : Number(path.includes(':'));
}

/** The parameters, or undefined for another path. As in react-router, neither case nor a last slash matters. */
function matchPath(path: string, pathname: string): Params | undefined {
  if (path === '*') return {};
  const pattern = path
    .replace(/[\\.*+^${}|()[\]]/g, '\\$&')
    .replace(/\/$/, '')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}/*$`, 'i').exec(pathname);
  if (!match) return undefined;
  return Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, decode(value)]));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A stray "%".
    return value;
  }
}

/** The first element contains the others. Equal elements at the same depth keep their state between routes. */
function Nested({ params, elements }: { params: Params; elements: ReactNode[] }) {
  const key = JSON.stringify(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same parameters keep their object
  const kept = useMemo(() => params, [key]);
  let page: ReactNode = null;
  for (const element of elements.toReversed()) page = <OutletContext value={page}>{element}</OutletContext>;
  return <ParamsContext value={kept}>{page}</ParamsContext>;
}
