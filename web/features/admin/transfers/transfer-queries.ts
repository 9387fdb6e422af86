import {
  ADMIN_TRANSFER_SORTS,
  type AdminTransfer,
  batchDelete,
  batchExtend,
  deleteAnyTransfer,
  EXTEND_DAYS_DEFAULT,
  extendTransfer,
  listAllTransfers,
  setTakenDown,
} from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { parseSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { refreshRows, removeRows, replaceRow, usePages } from '../lists/use-pages.ts';
import { oneOf } from '../lists/use-view.ts';
import { useAct } from '../use-act.ts';

export const TRANSFER_VIEW = ['search', 'owner', 'state', 'min', 'max', 'sort'] as const;
export type TransferView = Record<(typeof TRANSFER_VIEW)[number], string>;
const STATES = ['active', 'expired', 'reported', 'taken-down'] as const;

const path = listAllTransfers.path;
const lists = [path];

export function isNarrowed({ sort, ...filters }: TransferView): boolean {
  return Object.values(filters).some(Boolean);
}

/** Bytes of a size text; undefined if it isn't one. */
export function readSize(text: string): number | undefined {
  try {
    return parseSize(text);
  } catch {
    return undefined;
  }
}

export function useAllTransfers({ search, owner, state, min, max, sort }: TransferView) {
  return usePages(listAllTransfers, {
    ...(search && { search }),
    ...(owner && { owner }),
    state: oneOf(STATES, state),
    minBytes: readSize(min),
    maxBytes: readSize(max),
    sort: oneOf(ADMIN_TRANSFER_SORTS, sort),
  });
}

export function useDeleteAny() {
  return useAct(({ id }: AdminTransfer) => call(deleteAnyTransfer, { params: { id } }), {
    lists,
    onDone: (_nothing, { id }) => removeRows(path, new Set([id])),
    done: () => ({
      title: 'Transfer deleted',
      description: 'The transfer and all associated files have been deleted.',
    }),
  });
}

/** Extends by the default of 7 days. */
export function useExtend({ id }: AdminTransfer) {
  return useAct(() => call(extendTransfer, { params: { id }, body: { days: EXTEND_DAYS_DEFAULT } }), {
    lists,
    onDone: (transfer) => replaceRow(path, transfer),
    done: ({ expiresAt, ...transfer }) => ({
      title: 'Transfer extended',
      description: expiresAt
        ? `${nameTransfer(transfer)} expires on ${formatDateTime(expiresAt)}.`
        : `${nameTransfer(transfer)} does not expire.`,
    }),
  });
}

export function useSetTakenDown() {
  return useAct(
    ({ id, isTakenDown }: AdminTransfer) =>
      call(setTakenDown, { params: { id }, body: { isTakenDown: !isTakenDown } }),
    {
      lists,
      onDone: (transfer) => replaceRow(path, transfer),
      done: ({ isTakenDown }) =>
        isTakenDown
          ? { title: 'Transfer taken down', description: 'Nobody but its owner can open it any more.' }
          : { title: 'Transfer open again', description: 'Its link works as before.' },
    },
  );
}

export function useBatchDelete() {
  return useAct((transferIds: string[]) => call(batchDelete, { body: { transferIds } }), {
    lists,
    onDone: (_answer, transferIds) => removeRows(path, new Set(transferIds)),
    done: ({ deleted }) => ({
      title: 'Transfers deleted',
      description: `${countOf(deleted, 'transfer')} and all associated files have been deleted.`,
    }),
  });
}

export function useBatchExtend() {
  return useAct((body: { transferIds: string[]; days: number }) => call(batchExtend, { body }), {
    lists,
    onDone: () => refreshRows(path),
    done: ({ extended }, { days }) => ({
      title: 'Transfers extended',
      description: `${countOf(extended, 'transfer')} live ${countOf(days, 'day')} longer.`,
    }),
  });
}
