import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { useReadableTransfers } from '../../../key-ring/readable-transfers.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { lazy } from '../../../lib/loading/lazy.ts';
import { usePlace } from '../../../lib/routing.tsx';
import { useSelection } from '../../../lib/values/use-selection.ts';
import { AdBanner, AdPlace } from '../ads/ad-banner.tsx';
import { useAds } from '../ads/ad-queries.ts';
import { useDeleteTransfers } from '../deletion.ts';
import { useTransferList } from '../transfer-queries.ts';
import type { CardDialog, ListDialog } from './list-dialogs.tsx';
import { Failure, NothingFound, NothingReceived, NothingYet, Placeholders } from './list-states.tsx';
import { ListToolbar, OriginTabs } from './list-toolbar.tsx';
import { isNarrowed, useListView } from './list-view.ts';
import { TransferList } from './transfer-list.tsx';
import { TransferSelection } from './transfer-selection.tsx';

const ListDialogs = lazy(() =>
  import('./list-dialogs.tsx').then((module) => ({ default: module.ListDialogs })),
);

/** Most people have none. */
const useArriving = lateModule(() => import('./arriving-transfers.tsx'));

export function MyTransfersPage() {
  usePageTitle(t`My Transfers`);
  const { ads, isLoading } = useAds();
  const listView = useListView();
  const isSent = listView.view.origin === 'sent';
  const arriving = useArriving(isSent);
  return (
    <>
      <header className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-3 sm:-mt-6 sm:gap-x-6">
        <h1 className="text-3xl leading-tight max-sm:grow">
          <Trans>My Transfers</Trans>
        </h1>
        <div className="max-sm:order-last max-sm:w-full">
          <OriginTabs view={listView.view} />
        </div>
        <LinkButton
          to={PAGES.upload}
          icon={<Plus />}
          className="max-sm:px-4.5 sm:ml-auto max-sm:[&_svg]:hidden"
        >
          <Trans>New Upload</Trans>
        </LinkButton>
      </header>
      {isLoading ? <AdPlace /> : ads.length > 0 && <AdBanner ads={ads} />}
      {isSent && arriving && <arriving.ArrivingTransfers />}
      <Transfers isDelayed={isLoading} {...listView} />
    </>
  );
}

type TransfersProps = ReturnType<typeof useListView> & {
  /** Loads the list but delays it until the space above is known, so that it never shifts. */
  isDelayed: boolean;
};

function Transfers({ isDelayed, view, change, clear }: TransfersProps) {
  const { search: address } = usePlace();
  const shownAddress = useRef(address);
  const searchField = useRef<HTMLInputElement>(null);
  const { data, error, refetch, ...query } = useTransferList(view);
  const { fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, isPlaceholderData } = query;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const listed = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const transfers = useReadableTransfers(listed);
  const { selection, actions, open, dialogs } = useListActions(address);
  // The previous view's transfers stay until the new ones have loaded.
  if (!isPlaceholderData) shownAddress.current = address;
  const isEmpty = transfers?.length === 0 && !hasNextPage;
  const isSearching = isFetching && isPlaceholderData;
  if (isDelayed)
    return (
      <>
        <Skeleton className="mb-3 h-control-md" />
        <Placeholders />
      </>
    );
  if (isEmpty && !isNarrowed(view) && !isPlaceholderData)
    return view.origin === 'sent' ? <NothingYet /> : <NothingReceived />;
  return (
    <>
      <ListToolbar view={view} onChange={change} isSearching={isSearching} searchField={searchField} />
      <VisuallyHidden isAnnounced>
        {isSearching
          ? t`Searching`
          : transfers && isNarrowed(view) && describeFound(transfers.length, hasNextPage)}
      </VisuallyHidden>
      {!transfers && (error && !isFetching ? <Failure error={error} onRetry={refetch} /> : <Placeholders />)}
      {isEmpty && (
        <NothingFound
          view={view}
          onClear={() => {
            clear();
            searchField.current?.focus();
          }}
        />
      )}
      {transfers && !isEmpty && (
        <div aria-busy={isSearching} className="transition-opacity aria-busy:opacity-60">
          <TransferList
            // Each view has its own scroll position.
            key={shownAddress.current}
            transfers={transfers}
            hasMore={hasNextPage}
            isLoadingMore={isFetching}
            hasFailed={query.isFetchNextPageError && !isFetchingNextPage}
            onMore={loadMore}
            selection={selection}
            actions={actions}
          />
          {selection.chosen.length > 0 && (
            <TransferSelection selection={selection} transfers={transfers} onOpen={open} />
          )}
        </div>
      )}
      {dialogs}
    </>
  );
}

/** The selection, which each view starts anew, and the dialogs of cards and selection. */
function useListActions(address: string) {
  const selection = useSelection<ListedTransfer>();
  const { clear, remove } = selection;
  const { mutate } = useDeleteTransfers();
  const [dialog, setDialog] = useState<ListDialog>();
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address is a new view.
  useEffect(() => clear, [address, clear]);
  const open = useCallback((wanted: ListDialog) => {
    setDialog(wanted);
    setOpen(true);
  }, []);
  const deleteAll = useCallback(
    (transfers: ListedTransfer[]) => {
      setOpen(false);
      remove(new Set(transfers.map(({ id }) => id)));
      mutate(transfers);
    },
    [remove, mutate],
  );
  const actions = useMemo(
    () => ({
      onOpen: (kind: CardDialog, transfer: ListedTransfer) => open({ kind, transfer }),
      onDelete: (transfer: ListedTransfer) => deleteAll([transfer]),
    }),
    [open, deleteAll],
  );
  const dialogs = dialog && (
    <Suspense fallback={null}>
      <ListDialogs
        dialog={dialog}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onDelete={deleteAll}
        onExtended={clear}
      />
    </Suspense>
  );
  return { selection, actions, open, dialogs };
}

function describeFound(count: number, hasMore: boolean): string {
  return hasMore
    ? t`More than ${plural(count, { one: '# transfer', other: '# transfers' })} found`
    : t`${plural(count, { one: '# transfer', other: '# transfers' })} found`;
}
