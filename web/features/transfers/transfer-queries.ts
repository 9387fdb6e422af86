import { t } from '@lingui/core/macro';
import {
  hashKey,
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useMutationState,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useLayoutEffect } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useNavigationType } from 'react-router';
import {
  deleteTransfer,
  getTransfer,
  listTransferFiles,
  listTransfers,
  type Transfer,
  type TransferDetail,
  updateTransfer,
} from '../../../contracts/transfers/transfers.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import { call, callPage } from '../../api/call.ts';
import { invalidate, pagesOf, queryOf, removeRows, replaceRow } from '../../api/endpoint-query.ts';
import { FIRST_FILES } from '../../api/first-files.ts';
import { queryClient, queryKeyOf } from '../../api/query-client.ts';
import { type ActionOptions, useAction } from '../../api/use-action.ts';
import { type AllFiles, useAllFiles } from '../../api/use-all-files.ts';
import { toast } from '../../components/feedback/toast.ts';
import type { SettingsChanges } from '../../transfer-settings/settings-form.ts';
import type { ListView } from './list/list-view.ts';

/** Duration of the folding transition in transfer-card.tsx. */
const FOLD_MS = 420;
const CHECK_SCAN_MS = 5_000;
const DELETION_KEY = ['delete-transfer'];

/** Refetched when the page opens, because files may have been downloaded meanwhile. */
export function useTransfer(id: string) {
  // A change returns more files, which then replace these, so the key does not contain their number.
  const { queryKey } = queryOf(getTransfer, { params: { id } });
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const transfer = await call(getTransfer, {
        params: { id },
        query: { firstFiles: FIRST_FILES },
        signal,
      });
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
  return invalidate(getTransfer, { params: { id } });
}

/** Deletes a transfer and reports the result. */
export function useDeleteTransfer() {
  return useMutation({
    mutationKey: DELETION_KEY,
    mutationFn: async (id: string) => {
      await Promise.all([call(deleteTransfer, { params: { id } }), pause(FOLD_MS)]);
    },
    onSuccess: (_nothing, id) => {
      removeRows(listTransfers, id);
      toast({
        title: t`Transfer deleted`,
        description: t`The transfer and all associated files have been deleted.`,
      });
    },
    onError: () => {
      toast({ title: t`Error`, description: t`Failed to delete transfer.`, variant: 'destructive' });
      // It may have been deleted in another window.
      void invalidate(listTransfers);
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

type UpdateOptions<Form extends FieldValues> = Pick<
  ActionOptions<SettingsChanges, TransferDetail, Form>,
  'success' | 'failure' | 'form' | 'toErrors'
>;

/** Updates the page and the lists from the response. */
export function useUpdateTransfer<Form extends FieldValues>(id: string, options: UpdateOptions<Form>) {
  return useAction((body: SettingsChanges) => call(updateTransfer, { params: { id }, body }), {
    ...options,
    outdated: [getTransfer],
    onSuccess: (transfer) => {
      queryClient.setQueryData(queryKeyOf(getTransfer, { params: { id } }), transfer);
      updateListed(transfer);
    },
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const PAGE_SIZE = 50;

type Listed = InfiniteData<Page<Transfer>, string | undefined>;

/** A view of the list, page by page. Refetched when it is opened, but not when going back to it. */
export function useTransferList(view: ListView) {
  const { search, sort, state } = view;
  const pages = pagesOf(listTransfers, {
    query: {
      limit: PAGE_SIZE,
      ...(search && { search }),
      ...(sort !== 'newest' && { sort }),
      ...(state !== 'all' && { state }),
    },
  });
  const viewKey = hashKey(pages.queryKey);
  const isOpened = useNavigationType() !== 'POP';
  // biome-ignore lint/correctness/useExhaustiveDependencies: viewKey stands for the key, a new array each time.
  useLayoutEffect(() => {
    if (isOpened) startOver(pages.queryKey);
  }, [isOpened, viewKey]);
  return useInfiniteQuery({
    ...pages,
    placeholderData: keepPreviousData,
  });
}

/** Refetches only the first page, not all pages that were scrolled through. */
function startOver(queryKey: QueryKey): void {
  if (!queryClient.getQueryData(queryKey)) return;
  queryClient.setQueryData<Listed>(queryKey, (listed) => listed && firstPageOf(listed));
  void queryClient.invalidateQueries({ queryKey, exact: true });
}

function firstPageOf({ pages, pageParams }: Listed): Listed {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** Updates a transfer in every list. */
function updateListed({ files, nextFiles, recipients, downloads, ...transfer }: TransferDetail): void {
  replaceRow(listTransfers, transfer);
}
