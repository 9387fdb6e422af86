import { plural, t } from '@lingui/core/macro';
import {
  hashKey,
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useLayoutEffect } from 'react';
import type { FieldValues } from 'react-hook-form';
import {
  type ExtendedResult,
  extendTransfers,
  TRANSFERS_PER_BATCH_MAX,
} from '../../../contracts/transfers/transfer-batches.ts';
import {
  getTransfer,
  type ListedTransfer,
  listTransferFiles,
  listTransfers,
  type TransferDetail,
  updateTransfer,
} from '../../../contracts/transfers/transfers.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import { call, callPage } from '../../api/call.ts';
import { invalidate, pagesOf, queryOf, replaceRow } from '../../api/endpoint-query.ts';
import { FIRST_FILES } from '../../api/first-files.ts';
import { queryClient, queryKeyOf } from '../../api/query-client.ts';
import { type ActionOptions, useAction } from '../../api/use-action.ts';
import { type AllFiles, useAllFiles } from '../../api/use-all-files.ts';
import type { ToastInput } from '../../components/feedback/toast.ts';
import { usePlace } from '../../lib/routing.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import type { SettingsChanges } from '../../transfer-settings/settings-form.ts';
import type { ListView } from './list/list-view.ts';

const CHECK_AGAIN_MS = 5_000;

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
    // Polls until the scan is over, or all files have arrived.
    refetchInterval: ({ state: { data } }) =>
      isBeingScanned(data) || data?.status === 'arriving' ? CHECK_AGAIN_MS : false,
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

type ExtendOptions<Form extends FieldValues> = Pick<
  ActionOptions<Extension, ExtendedResult[], Form>,
  'form' | 'toErrors'
>;
type Extension = { transferIds: string[]; expirationDays: number };

/** Sets a new expiry for any number of transfers and reports how many were refused. */
export function useExtendTransfers<Form extends FieldValues>(options: ExtendOptions<Form>) {
  return useAction(extendAll, {
    ...options,
    failure: () => undefined,
    onSuccess: (results) => {
      const now = Date.now();
      for (const { transferId: id, error, expiresAt } of results)
        if (!error && expiresAt) {
          replaceRow(listTransfers, { id, expiresAt, isExpired: Date.parse(expiresAt) <= now } as {
            id: string;
          });
          void invalidate(getTransfer, { params: { id } });
        }
      if (results.some(({ error }) => error)) void invalidate(listTransfers);
    },
    success: describeExtension,
  });
}

async function extendAll({ transferIds, expirationDays }: Extension): Promise<ExtendedResult[]> {
  const all: ExtendedResult[] = [];
  for (let start = 0; start < transferIds.length; start += TRANSFERS_PER_BATCH_MAX) {
    const body = { transferIds: transferIds.slice(start, start + TRANSFERS_PER_BATCH_MAX), expirationDays };
    all.push(...(await call(extendTransfers, { body })).results);
  }
  return all;
}

function describeExtension(results: ExtendedResult[]): ToastInput {
  const refused = results.filter(({ error }) => error !== null);
  const extended = results.length - refused.length;
  const title = plural(extended, { one: '# transfer extended', other: '# transfers extended' });
  const [first] = refused;
  if (first?.error)
    return {
      title,
      description: t`${plural(refused.length, { one: '# was refused:', other: '# were refused:' })} ${first.error.detail}`,
      ...(extended === 0 && { variant: 'destructive' as const }),
    };
  const end = results.find(({ expiresAt }) => expiresAt !== null)?.expiresAt;
  return { title, ...(end && { description: t`They expire on ${formatDateTime(end)}.` }) };
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

/** Small, so that the first transfers are there soon. */
const FIRST_PAGE_SIZE = 50;
/** Large, so that scrolling through thousands of transfers rarely waits. */
const NEXT_PAGE_SIZE = 200;

type Listed = InfiniteData<Page<ListedTransfer>, string | undefined>;

/** A view of the list, page by page. Refetched when it is opened, but not when going back to it. */
export function useTransferList(view: ListView) {
  const { search, sort, state, origin } = view;
  const pages = pagesOf(listTransfers, {
    query: {
      limit: FIRST_PAGE_SIZE,
      origin,
      ...(search && { search }),
      ...(sort !== 'newest' && { sort }),
      ...(state !== 'all' && { state }),
    },
    nextLimit: NEXT_PAGE_SIZE,
  });
  const viewKey = hashKey(pages.queryKey);
  const isOpened = usePlace().type !== 'POP';
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
function updateListed(detail: TransferDetail): void {
  const { files, nextFiles, heldFiles, recipients, downloads, ...transfer } = detail;
  const recipientsDownloaded = recipients.filter(({ downloadedAt }) => downloadedAt !== null).length;
  replaceRow(listTransfers, { ...transfer, recipientsDownloaded } as { id: string });
}
