import { plural, t } from '@lingui/core/macro';
import { type Mutation, useMutation, useMutationState } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import {
  type BatchResult,
  deleteTransfers,
  restoreTransfers,
  TRANSFERS_PER_BATCH_MAX,
} from '../../../contracts/transfers/transfer-batches.ts';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  restoreTransfer,
  type Transfer,
  UNDO_MS,
} from '../../../contracts/transfers/transfers.ts';
import { call } from '../../api/call.ts';
import { invalidate, takeRows } from '../../api/endpoint-query.ts';
import { queryClient } from '../../api/query-client.ts';
import { dismissToast, type ToastInput, toast } from '../../components/feedback/toast.ts';

/** Duration of the folding transition in transfer-card.tsx. */
const FOLD_MS = 420;
const DELETION_KEY = ['delete-transfers'];

/** Its data are the ids that were refused. */
type Deletion = Mutation<Set<string>, Error, Transfer[]>;

/** The server can't restore what auto-delete has closed; ask before deleting it. */
export function canBeUndone({
  autoDeleteAfterDownloads,
  isLimitReached,
}: Pick<Transfer, 'autoDeleteAfterDownloads' | 'isLimitReached'>): boolean {
  return !(autoDeleteAfterDownloads && isLimitReached);
}

/** Deletes transfers, reports the result and offers to undo it. */
export function useDeleteTransfers() {
  return useMutation({
    mutationKey: DELETION_KEY,
    mutationFn: async (transfers: Transfer[]) => {
      const [refused] = await Promise.all([deleteAll(transfers.map(({ id }) => id)), pause(FOLD_MS)]);
      return refused;
    },
    onSuccess: (refused, transfers) => reportDeletion(transfers, refused),
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
    select: ({ state }) => (state.variables as Transfer[]).map(({ id }) => id),
  }).flat();
}

/**
 * Calls `leave` when this window has deleted the transfer, from its page or from a list. Returns whether its page is
 * about to be left; a refetch fails from the deletion on, which is no news then.
 */
export function useLeaveOnDeletion(id: string, leave: () => void): boolean {
  const isBeingDeleted = useTransfersBeingDeleted().includes(id);
  const [leftId, setLeftId] = useState<string>();
  const onDeleted = useEffectEvent(() => {
    setLeftId(id);
    leave();
  });
  useEffect(
    () =>
      queryClient.getMutationCache().subscribe(({ type, mutation, ...event }) => {
        const isSuccess = type === 'updated' && 'action' in event && event.action.type === 'success';
        if (!isSuccess || mutation?.options.mutationKey !== DELETION_KEY) return;
        const { variables, data: refused } = mutation.state as Deletion['state'];
        if (variables?.some((transfer) => transfer.id === id) && !refused?.has(id)) onDeleted();
      }),
    [id],
  );
  return isBeingDeleted || leftId === id;
}

/** Returns the ids that were refused. Throws if the only one was. */
async function deleteAll(ids: string[]): Promise<Set<string>> {
  const [id] = ids;
  if (ids.length === 1) {
    await call(deleteTransfer, { params: { id: id! }, query: { undoable: 'true' } });
    return new Set();
  }
  return runInBatches(ids, (transferIds) => call(deleteTransfers, { body: { transferIds, undoable: true } }));
}

async function restoreAll(ids: string[]): Promise<Set<string>> {
  const [id] = ids;
  if (ids.length > 1)
    return runInBatches(ids, (transferIds) => call(restoreTransfers, { body: { transferIds } }));
  await call(restoreTransfer, { params: { id: id! } });
  return new Set();
}

/**
 * Returns the ids that were refused, and those that a failure left out: what was done before it must be reported, so
 * that it can be undone. Throws if nothing was done.
 */
async function runInBatches(
  ids: string[],
  run: (some: string[]) => Promise<{ results: BatchResult[] }>,
): Promise<Set<string>> {
  const refused = new Set<string>();
  for (let start = 0; start < ids.length; start += TRANSFERS_PER_BATCH_MAX) {
    try {
      const { results } = await run(ids.slice(start, start + TRANSFERS_PER_BATCH_MAX));
      for (const { transferId, error } of results) if (error) refused.add(transferId);
    } catch (error) {
      if (start === 0) throw error;
      return new Set([...refused, ...ids.slice(start)]);
    }
  }
  return refused;
}

function reportDeletion(transfers: Transfer[], refused: Set<string>): void {
  const deleted = transfers.filter(({ id }) => !refused.has(id));
  const ids = deleted.map(({ id }) => id);
  const putBack = takeRows(listTransfers, ...ids);
  const undo = async () => {
    try {
      const lost = await restoreAll(ids);
      putBack(ids.filter((id) => !lost.has(id)));
      for (const id of ids) void invalidate(getTransfer, { params: { id } });
      reportUndo(ids.length, lost.size);
    } catch (error) {
      toast({
        title: t`Error`,
        description: error instanceof ApiError ? errorDetail(error) : t`Failed to restore transfer.`,
        variant: 'destructive',
      });
    }
  };
  // Refused ones may have been deleted in another window.
  if (refused.size > 0) void invalidate(listTransfers);
  if (ids.length === 0) {
    toast({ title: t`Error`, description: t`Failed to delete transfer.`, variant: 'destructive' });
    return;
  }
  const words = describeDeletion(ids.length, refused.size);
  if (deleted.some(canBeUndone)) offerUndo(words, undo);
  else toast(words);
}

function describeDeletion(count: number, refused: number): ToastInput {
  if (refused > 0)
    return {
      title: t`${plural(count, { one: '# transfer deleted', other: '# transfers deleted' })}`,
      description: t`${plural(refused, { one: '# transfer could not be deleted.', other: '# transfers could not be deleted.' })}`,
    };
  if (count > 1)
    return {
      title: t`${plural(count, { one: '# transfer deleted', other: '# transfers deleted' })}`,
      description: t`The transfers and all associated files have been deleted.`,
    };
  return {
    title: t`Transfer deleted`,
    description: t`The transfer and all associated files have been deleted.`,
  };
}

function reportUndo(count: number, lost: number): void {
  toast(
    lost > 0
      ? {
          title: t`Error`,
          description: t`${plural(lost, { one: '# transfer could not be restored.', other: '# transfers could not be restored.' })}`,
          variant: 'destructive',
        }
      : { title: plural(count, { one: 'Transfer restored', other: '# transfers restored' }) },
  );
}

let forgetLast = () => {};

/** Shows the toast with Undo. Ctrl+Z does the same outside of text fields; only for the last offer. */
function offerUndo(words: ToastInput, undo: () => Promise<void>): void {
  forgetLast();
  const take = () => {
    forgetLast();
    void undo();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isUndoKey =
      event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!isUndoKey || isTextField(event.target)) return;
    event.preventDefault();
    dismissToast();
    take();
  };
  window.addEventListener('keydown', onKeyDown);
  const timer = setTimeout(() => forgetLast(), UNDO_MS);
  forgetLast = () => {
    window.removeEventListener('keydown', onKeyDown);
    clearTimeout(timer);
  };
  toast({ ...words, durationMs: UNDO_MS, action: { label: t`Undo`, onClick: take } });
}

function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.matches('input:not([type=checkbox]), textarea, [contenteditable]')
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
