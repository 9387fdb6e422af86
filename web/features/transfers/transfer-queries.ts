import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useMutationState,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useLayoutEffect } from 'react';
import { useNavigationType } from 'react-router';
import {
  deleteTransfer,
  getTransfer,
  listTransferFiles,
  listTransfers,
  resendTransfer,
  type Transfer,
  type TransferDetail,
  updateTransfer,
} from '../../../contracts/transfers/transfers.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import { call, callPage } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type AllFiles, useAllFiles } from '../../api/use-all-files.ts';
import { toast } from '../../components/feedback/toast.ts';
import type { SettingsChanges } from '../../transfer-settings/settings-form.ts';
import { type ListView, writeListView } from './list/list-view.ts';

/** Duration of the folding transition in transfer-card.tsx. */
const FOLD_MS = 420;
const CHECK_SCAN_MS = 5_000;
const DELETION_KEY = ['delete-transfer'];

function detailKey(id: string): string[] {
  return [...TRANSFERS_KEY, id];
}

/** Refetched when the page opens, because files may have been downloaded meanwhile. */
export function useTransfer(id: string) {
  return useQuery({
    queryKey: detailKey(id),
    queryFn: async ({ signal }) => {
      const transfer = await call(getTransfer, { params: { id }, signal });
      updateListed(transfer);
      return transfer;
    },
    refetchOnMount: 'always',
    // Polls until the scan is over.
    refetchInterval: ({ state }) => (isBeingScanned(state.data) ? CHECK_SCAN_MS : false),
  });
}

/** False while files wait for an administrator, which may take days. */
function isBeingScanned(transfer: TransferDetail | undefined): boolean {
  const { scanState, heldFiles = [] } = transfer ?? {};
  return scanState === 'checking' || (scanState === 'partial' && heldFiles.length === 0);
}

/** All files of a transfer; further pages are added as they load. */
export function useTransferFiles(transfer: TransferDetail): AllFiles {
  const { id } = transfer;
  const fetchPage = useCallback(
    (cursor: string, signal: AbortSignal) =>
      callPage(listTransferFiles, { params: { id }, query: { cursor }, signal }),
    [id],
  );
  return useAllFiles(transfer, fetchPage);
}

/** Refetches a transfer. */
export function refreshTransfer(id: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: detailKey(id) });
}

/** Deletes a transfer and reports the result. */
export function useDeleteTransfer() {
  return useMutation({
    mutationKey: DELETION_KEY,
    mutationFn: async (id: string) => {
      await Promise.all([call(deleteTransfer, { params: { id } }), pause(FOLD_MS)]);
    },
    onSuccess: (_nothing, id) => {
      forgetListed(id);
      toast({
        title: 'Transfer deleted',
        description: 'The transfer and all associated files have been deleted.',
      });
    },
    onError: () => {
      toast({ title: 'Error', description: 'Failed to delete transfer.', variant: 'destructive' });
      // It may have been deleted in another window.
      void queryClient.invalidateQueries({ queryKey: LISTS_KEY });
    },
  });
}

/** IDs of the transfers that are being deleted. */
export function useTransfersBeingDeleted(): string[] {
  return useMutationState({
    filters: { mutationKey: DELETION_KEY, status: 'pending' },
    select: ({ state }) => state.variables as string,
  });
}

/** Updates the page and the lists from the response. */
export function useUpdateTransfer(id: string) {
  return useMutation({
    mutationFn: (changes: SettingsChanges) => call(updateTransfer, { params: { id }, body: changes }),
    onSuccess: (transfer) => {
      queryClient.setQueryData<TransferDetail>(detailKey(id), transfer);
      updateListed(transfer);
    },
  });
}

export function useResendTransfer(id: string) {
  return useMutation({
    mutationFn: (recipientEmails: string[]) =>
      call(resendTransfer, { params: { id }, body: { recipientEmails } }),
    onSuccess: () => void refreshTransfer(id),
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const TRANSFERS_KEY = ['/api/transfers'];
const LISTS_KEY = [...TRANSFERS_KEY, 'list'];
const PAGE_SIZE = 50;

type Listed = InfiniteData<Page<Transfer>, string | undefined>;

/** A view of the list, page by page. Refetched when it is opened, but not when going back to it. */
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

/** Refetches only the first page, not all pages that were scrolled through. */
function startOver(viewKey: string): void {
  const queryKey = [...LISTS_KEY, viewKey];
  if (!queryClient.getQueryData(queryKey)) return;
  queryClient.setQueryData<Listed>(queryKey, (listed) => listed && firstPageOf(listed));
  void queryClient.invalidateQueries({ queryKey, exact: true });
}

function firstPageOf({ pages, pageParams }: Listed): Listed {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** Updates a transfer in every list. */
function updateListed({ files, nextFiles, recipients, downloads, ...transfer }: TransferDetail): void {
  changeListed((items) => items.map((each) => (each.id === transfer.id ? transfer : each)));
}

/** Removes a transfer from every list. */
function forgetListed(id: string): void {
  changeListed((items) => items.filter((each) => each.id !== id));
}

function changeListed(change: (items: Transfer[]) => Transfer[]): void {
  queryClient.setQueriesData<Listed>(
    { queryKey: LISTS_KEY },
    (listed) =>
      listed && { ...listed, pages: listed.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
}
