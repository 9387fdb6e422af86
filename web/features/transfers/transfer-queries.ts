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
import type { Page } from '../../../contracts/transfers/file-pages.ts';
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
import { call, callPage } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type AllFiles, useAllFiles } from '../../api/use-all-files.ts';
import { toast } from '../../components/toast.ts';
import type { SettingsChanges } from '../../transfer-settings/settings-form.ts';
import { type ListView, writeListView } from './list/list-view.ts';

/** As long as a card takes to fold away; see the transition in transfer-item.tsx. */
const FOLD_MS = 420;
const CHECK_SCAN_MS = 5_000;
const DELETION_KEY = ['delete-transfer'];

function detailKey(id: string): string[] {
  return [...TRANSFERS_KEY, id];
}

/** Opening the page asks again, because downloads go on while nobody looks; nothing else does. */
export function useTransfer(id: string) {
  return useQuery({
    queryKey: detailKey(id),
    queryFn: async ({ signal }) => {
      const transfer = await call(getTransfer, { params: { id }, signal });
      updateListed(transfer);
      return transfer;
    },
    refetchOnMount: 'always',
    // The page shows by itself that the scan is over.
    refetchInterval: ({ state }) => (isBeingScanned(state.data) ? CHECK_SCAN_MS : false),
  });
}

/** Not while files wait for an administrator: that may take days. */
function isBeingScanned(transfer: TransferDetail | undefined): boolean {
  const { scanState, heldFiles = [] } = transfer ?? {};
  return scanState === 'checking' || (scanState === 'partial' && heldFiles.length === 0);
}

/** All files of a transfer, those behind the first page as they are loaded. */
export function useTransferFiles(transfer: TransferDetail): AllFiles {
  const { id } = transfer;
  const fetchPage = useCallback(
    (cursor: string, signal: AbortSignal) =>
      callPage(listTransferFiles, { params: { id }, query: { cursor }, signal }),
    [id],
  );
  return useAllFiles(transfer, fetchPage);
}

/** Asks again for one transfer, after something was done to it. */
export function refreshTransfer(id: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: detailKey(id) });
}

/** Deletes and says so. */
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
      // It may be gone already: deleted in another window.
      void queryClient.invalidateQueries({ queryKey: LISTS_KEY });
    },
  });
}

/** The transfers whose deletion is under way; when the server refuses, they are back. */
export function useTransfersBeingDeleted(): string[] {
  return useMutationState({
    filters: { mutationKey: DELETION_KEY, status: 'pending' },
    select: ({ state }) => state.variables as string,
  });
}

/** What the server answers is shown at once, on the page and in the lists. */
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
function updateListed({ files, nextFiles, recipients, downloads, ...transfer }: TransferDetail): void {
  changeListed((items) => items.map((each) => (each.id === transfer.id ? transfer : each)));
}

/** Takes a transfer out of every list. */
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
