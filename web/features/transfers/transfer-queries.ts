import { useMutation, useMutationState, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  deleteTransfer,
  getTransfer,
  listTransferFiles,
  resendTransfer,
  type TransferDetail,
  updateTransfer,
} from '../../../contracts/transfers/transfers.ts';
import { call, callPage } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type AllFiles, useAllFiles } from '../../api/use-all-files.ts';
import { toast } from '../../components/toast.ts';
import type { Changes } from './edit-form.ts';
import { forgetListed, LISTS_KEY, TRANSFERS_KEY, updateListed } from './list-queries.ts';

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
    mutationFn: (changes: Changes) => call(updateTransfer, { params: { id }, body: changes }),
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
