import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { useNavigationType } from 'react-router';
import type { Page } from '../../../contracts/transfers/file-pages.ts';
import { listTransfers, type Transfer, type TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { callPage } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type ListView, writeListView } from './list-view.ts';

export const TRANSFERS_KEY = ['/api/transfers'];
export const LISTS_KEY = [...TRANSFERS_KEY, 'list'];
const PAGE_SIZE = 50;

type Listed = InfiniteData<Page<Transfer>, string | undefined>;

/**
 * A view of the list, page by page. Opening it asks again, because downloads go on while nobody looks; what Back
 * leads to is shown as it was left.
 */
export function useTransferList(view: ListView) {
  const { search, sort, state } = view;
  const viewKey = writeListView(view);
  const isOpened = useNavigationType() !== 'POP';
  useLayoutEffect(() => {
    if (isOpened) startOver(viewKey);
  }, [isOpened, viewKey]);
  return useInfiniteQuery({
    queryKey: [...LISTS_KEY, viewKey],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage(listTransfers, {
        query: {
          limit: PAGE_SIZE,
          ...(search && { search }),
          ...(sort !== 'newest' && { sort }),
          ...(state !== 'all' && { state }),
          ...(cursor && { cursor }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
}

/** Only the beginning is asked for again: what was scrolled through page by page must not be. */
function startOver(viewKey: string): void {
  const queryKey = [...LISTS_KEY, viewKey];
  if (!queryClient.getQueryData(queryKey)) return;
  queryClient.setQueryData<Listed>(queryKey, (listed) => listed && firstPageOf(listed));
  void queryClient.invalidateQueries({ queryKey, exact: true });
}

function firstPageOf({ pages, pageParams }: Listed): Listed {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** Shows what is newly known of a transfer wherever it is listed, in its place. */
export function updateListed({ files, nextFiles, recipients, downloads, ...transfer }: TransferDetail): void {
  changeListed((items) => items.map((each) => (each.id === transfer.id ? transfer : each)));
}

/** Takes a transfer out of every list. */
export function forgetListed(id: string): void {
  changeListed((items) => items.filter((each) => each.id !== id));
}

function changeListed(change: (items: Transfer[]) => Transfer[]): void {
  queryClient.setQueriesData<Listed>(
    { queryKey: LISTS_KEY },
    (listed) =>
      listed && { ...listed, pages: listed.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
}
