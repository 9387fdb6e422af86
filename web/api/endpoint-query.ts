import { hashKey, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import type { z } from 'zod';
import type { AnyInput, CallInput, CallOutput } from '../../client/call.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Page } from '../../contracts/values/paging.ts';
import { call, callPage } from './call.ts';
import { type QueryInput, queryClient, queryKeyOf } from './query-client.ts';

type Path = Pick<Endpoint, 'path'>;

/** The options of `useQuery` or `fetchQuery` for an endpoint; spread them and add your own. */
export function queryOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, R>,
  ...[input]: Record<string, never> extends CallInput<P, Q, B> ? [CallInput<P, Q, B>?] : [CallInput<P, Q, B>]
) {
  return {
    queryKey: queryKeyOf(endpoint, input as QueryInput | undefined),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      call(endpoint as Endpoint, { ...input, signal } as AnyInput) as Promise<CallOutput<R>>,
  };
}

/**
 * The options of `useInfiniteQuery` for a paged list; spread them and add your own. `nextLimit` replaces the limit of the
 * pages after the first.
 */
export function pagesOf<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodArray>(
  endpoint: Endpoint<P, Q, z.ZodUndefined, R, true>,
  {
    params,
    query,
    nextLimit = query.limit,
  }: {
    params?: Record<string, string>;
    query: z.input<Q> & Record<string, unknown> & { limit: number };
    nextLimit?: number;
  },
) {
  const input = { ...(params && { params }), query };
  return {
    // A list that is cached as a whole has a key of its own, because its data has another shape.
    queryKey: [endpoint.path, 'pages', input] as QueryKey,
    queryFn: ({ pageParam: cursor, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      callPage(endpoint, {
        ...input,
        query: cursor ? { ...query, limit: nextLimit, cursor } : query,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Page<unknown>) => nextCursor,
  };
}

/** Marks the cached responses of an endpoint as stale. Resolves when those on the page have been refetched. */
export function invalidate(endpoint: Path, input?: QueryInput): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: queryKeyOf(endpoint, input) });
}

export function addRow<R extends z.ZodArray>(
  endpoint: Endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, R>,
  row: z.output<R>[number],
  place: 'start' | 'end' = 'start',
): void {
  changeRows(endpoint, (rows) => (place === 'start' ? [row, ...rows] : [...rows, row]));
}

/** Updates a row in every cached view of a list. Columns that the row lacks stay as they are. */
export function replaceRow(endpoint: Path, row: { id: string }): void {
  changeRows<{ id: string }>(endpoint, (rows) =>
    rows.map((each) => (each.id === row.id ? { ...each, ...row } : each)),
  );
}

/** Removes rows from every cached view of a list. */
export function removeRows(endpoint: Path, ...ids: string[]): void {
  const gone = new Set(ids);
  changeRows<{ id: string }>(endpoint, (rows) => rows.filter(({ id }) => !gone.has(id)));
}

/**
 * Removes rows from every cached view of a list. The result puts the ones that are passed to it back in their places,
 * and refetches views that were loaded meanwhile.
 */
export function takeRows(endpoint: Path, ...ids: string[]): (restoredIds: string[]) => void {
  const queryKey = queryKeyOf(endpoint);
  const before = new Map(
    queryClient
      .getQueriesData<Cached<{ id: string }>>({ queryKey })
      .flatMap(([key, cached]) => (cached ? [[hashKey(key), listRows(cached)] as const] : [])),
  );
  removeRows(endpoint, ...ids);
  return (restoredIds) => {
    for (const [key, cached] of queryClient.getQueriesData<Cached<{ id: string }>>({ queryKey })) {
      const taken = before.get(hashKey(key))?.filter(({ row }) => restoredIds.includes(row.id));
      if (cached && taken) queryClient.setQueryData(key, putBack(cached, taken));
    }
    const predicate = ({ queryHash }: { queryHash: string }) => !before.has(queryHash);
    void queryClient.invalidateQueries({ queryKey, predicate });
  };
}

type Placed<Row> = { row: Row; page: number; index: number };

function listRows<Row>(cached: Cached<Row>): Placed<Row>[] {
  const pages = Array.isArray(cached) ? [cached] : cached.pages.map(({ items }) => items);
  return pages.flatMap((rows, page) => rows.map((row, index) => ({ row, page, index })));
}

/** In ascending order of their places, so that each place is right once those before it are filled. */
function putBack<Row extends { id: string }>(cached: Cached<Row>, taken: Placed<Row>[]): Cached<Row> {
  const present = new Set(listRows(cached).map(({ row }) => row.id));
  const missing = taken.filter(({ row }) => !present.has(row.id));
  const fill = (rows: Row[], ofPage: number) => {
    const filled = [...rows];
    for (const { row, page, index } of missing) if (page === ofPage) filled.splice(index, 0, row);
    return filled;
  };
  if (Array.isArray(cached)) return fill(cached, 0);
  return { ...cached, pages: cached.pages.map((page, at) => ({ ...page, items: fill(page.items, at) })) };
}

type Paged<Row> = InfiniteData<Page<Row>, string | undefined>;
type Cached<Row> = Row[] | Paged<Row>;

function changeRows<Row>(endpoint: Path, change: (rows: Row[]) => Row[]): void {
  queryClient.setQueriesData<Cached<Row>>({ queryKey: queryKeyOf(endpoint) }, (cached) => {
    if (!cached || Array.isArray(cached)) return cached && change(cached);
    return { ...cached, pages: cached.pages.map((page) => ({ ...page, items: change(page.items) })) };
  });
}
