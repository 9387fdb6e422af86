import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { pagesOf } from '../../../api/endpoint-query.ts';

const PAGE_SIZE = 50;

export type Paging = {
  number: number;
  hasPrevious: boolean;
  hasNext: boolean;
  isLoadingNext: boolean;
  error: Error | null;
  previous: () => void;
  next: () => void;
};

/** A paged list, refetched when it is opened. Keeps the previous rows while a changed query loads. */
export function usePages<Q extends z.ZodType, R extends z.ZodArray>(
  endpoint: Endpoint<z.ZodUndefined, Q, z.ZodUndefined, R, true>,
  query: z.input<Q> & Record<string, unknown>,
  pageSize = PAGE_SIZE,
) {
  const viewKey = JSON.stringify(query);
  const [place, setPlace] = useState({ viewKey, index: 0 });
  const result = useInfiniteQuery({
    ...pagesOf(endpoint, { query: { ...query, limit: pageSize } }),
    placeholderData: keepPreviousData,
    // Don't cache: other administrators may have changed the list.
    gcTime: 0,
  });
  const pages = result.data?.pages ?? [];
  const wanted = place.viewKey === viewKey ? place.index : 0;
  const index = Math.max(0, Math.min(wanted, pages.length - 1));
  const turnTo = (next: number) => {
    setPlace({ viewKey, index: next });
    window.scrollTo({ top: 0 });
  };
  const next = () => {
    if (index + 1 < pages.length) return turnTo(index + 1);
    void result.fetchNextPage().then(({ isError }) => !isError && turnTo(index + 1));
  };
  const paging: Paging = {
    number: index + 1,
    hasPrevious: index > 0,
    hasNext: pages[index]?.nextCursor !== undefined,
    isLoadingNext: result.isFetchingNextPage,
    error: result.isFetchNextPageError ? result.error : null,
    previous: () => turnTo(index - 1),
    next,
  };
  return {
    rows: pages[index]?.items as z.output<R>[number][] | undefined,
    paging,
    isSearching: result.isFetching && result.isPlaceholderData,
    isRefreshing: result.isFetching,
    error: result.data ? null : result.error,
    refetch: () => void result.refetch(),
  };
}
