import { plural, t } from '@lingui/core/macro';
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
import { parseSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { usePages } from '../lists/use-pages.ts';
import { oneOf } from '../lists/use-view.ts';

export const TRANSFER_VIEW = ['search', 'owner', 'state', 'min', 'max', 'sort'] as const;
export type TransferView = Record<(typeof TRANSFER_VIEW)[number], string>;
const STATES = ['active', 'expired', 'reported', 'taken-down'] as const;

const outdated = [listAllTransfers];

export function isNarrowed({ sort, ...filters }: TransferView): boolean {
  return Object.values(filters).some(Boolean);
}

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
  return useAction(({ id }: AdminTransfer) => call(deleteAnyTransfer, { params: { id } }), {
    outdated,
    refreshes: outdated,
    onSuccess: (_nothing, { id }) => removeRows(listAllTransfers, id),
    success: {
      title: t`Transfer deleted`,
      description: t`The transfer and all associated files have been deleted.`,
    },
  });
}

/** Extends by the default of 7 days. */
export function useExtend({ id }: AdminTransfer) {
  return useAction(() => call(extendTransfer, { params: { id }, body: { days: EXTEND_DAYS_DEFAULT } }), {
    outdated,
    onSuccess: (transfer) => replaceRow(listAllTransfers, transfer),
    success: ({ expiresAt, ...transfer }) => ({
      title: t`Transfer extended`,
      description: expiresAt
        ? t`${nameTransfer(transfer)} expires on ${formatDateTime(expiresAt)}.`
        : t`${nameTransfer(transfer)} does not expire.`,
    }),
  });
}

export function useSetTakenDown() {
  return useAction(
    ({ id, isTakenDown }: AdminTransfer) =>
      call(setTakenDown, { params: { id }, body: { isTakenDown: !isTakenDown } }),
    {
      outdated,
      onSuccess: (transfer) => replaceRow(listAllTransfers, transfer),
      success: ({ isTakenDown }) =>
        isTakenDown
          ? { title: t`Transfer taken down`, description: t`Only its owner can open it now.` }
          : { title: t`Transfer reopened`, description: t`Its link works as before.` },
    },
  );
}

export function useBatchDelete() {
  return useAction((transferIds: string[]) => call(batchDelete, { body: { transferIds } }), {
    outdated,
    refreshes: outdated,
    onSuccess: (_answer, transferIds) => removeRows(listAllTransfers, ...transferIds),
    success: ({ deleted }) => ({
      title: t`Transfers deleted`,
      description: t`${plural(deleted, { one: '# transfer', other: '# transfers' })} and all associated files have been deleted.`,
    }),
  });
}

export function useBatchExtend() {
  return useAction((body: { transferIds: string[]; days: number }) => call(batchExtend, { body }), {
    outdated,
    refreshes: outdated,
    success: ({ extended }, { days }) => ({
      title: t`Transfers extended`,
      description: plural(extended, {
        one: `# transfer expires ${plural(days, { one: '# day', other: '# days' })} later.`,
        other: `# transfers expire ${plural(days, { one: '# day', other: '# days' })} later.`,
      }),
    }),
  });
}
