import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  resendTransfer,
  type Transfer,
} from '../../../contracts/transfers.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toast.ts';

const LIST_KEY = ['/api/transfers'];
/** As long as a card takes to fold away; see the transition in transfer-item.tsx. */
const FOLD_MS = 420;

/** Opening the page asks again, because downloads go on while nobody looks; nothing else does. */
export function useTransfers() {
  return useQuery({
    queryKey: LIST_KEY,
    queryFn: ({ signal }) => call(listTransfers, { signal }),
    refetchOnMount: 'always',
  });
}

export function useTransfer(id: string) {
  return useQuery({
    queryKey: [...LIST_KEY, id],
    queryFn: ({ signal }) => call(getTransfer, { params: { id }, signal }),
    refetchOnMount: 'always',
  });
}

/**
 * Deletes and says so. While `isPending` or `isSuccess` the transfer counts as gone; when the server refuses,
 * both are false again and it is back.
 */
export function useDeleteTransfer() {
  return useMutation({
    mutationFn: async (id: string) => {
      await Promise.all([call(deleteTransfer, { params: { id } }), pause(FOLD_MS)]);
    },
    onSuccess: (_nothing, id) => {
      queryClient.setQueryData<Transfer[]>(LIST_KEY, (list) => list?.filter((each) => each.id !== id));
      toast({
        title: 'Transfer deleted',
        description: 'The transfer and all associated files have been deleted.',
      });
    },
    onError: () =>
      toast({ title: 'Error', description: 'Failed to delete transfer.', variant: 'destructive' }),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: LIST_KEY, exact: true });
    },
  });
}

export function useResendTransfer(id: string) {
  return useMutation({
    mutationFn: (recipientEmails: string[]) =>
      call(resendTransfer, { params: { id }, body: { recipientEmails } }),
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
