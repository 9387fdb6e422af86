import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useCallback, useRef } from 'react';
import { useLocation } from 'react-router';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { AdBanner, AdPlace } from '../ads/ad-banner.tsx';
import { useAds } from '../ads/ad-queries.ts';
import { useTransferList } from '../transfer-queries.ts';
import { Failure, NothingFound, NothingYet, Placeholders } from './list-states.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { isNarrowed, useListView } from './list-view.ts';
import { TransferList } from './transfer-list.tsx';

export function MyTransfersPage() {
  usePageTitle(t`My Transfers`);
  const { ads, isLoading } = useAds();
  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-3xl">
          <Trans>My Transfers</Trans>
        </h1>
        <LinkButton to={PAGES.upload} icon={<Plus />}>
          <Trans>New Upload</Trans>
        </LinkButton>
      </header>
      {isLoading ? <AdPlace /> : ads.length > 0 && <AdBanner ads={ads} />}
      <Transfers isDelayed={isLoading} />
    </>
  );
}

/** `isDelayed` loads the list but delays it until the space above is known, so that it never shifts. */
function Transfers({ isDelayed }: { isDelayed: boolean }) {
  const { view, change, clear } = useListView();
  const { search: address } = useLocation();
  const shownAddress = useRef(address);
  const searchField = useRef<HTMLInputElement>(null);
  const { data, error, refetch, ...query } = useTransferList(view);
  const { fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, isPlaceholderData } = query;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  // The previous view's transfers stay until the new ones have loaded.
  if (!isPlaceholderData) shownAddress.current = address;
  const transfers = data?.pages.flatMap(({ items }) => items);
  const isEmpty = transfers?.length === 0 && !hasNextPage;
  const isSearching = isFetching && isPlaceholderData;
  if (isDelayed) return <Placeholders />;
  if (isEmpty && !isNarrowed(view) && !isPlaceholderData) return <NothingYet />;
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
          />
        </div>
      )}
    </>
  );
}

function describeFound(count: number, hasMore: boolean): string {
  return hasMore
    ? t`More than ${plural(count, { one: '# transfer', other: '# transfers' })} found`
    : t`${plural(count, { one: '# transfer', other: '# transfers' })} found`;
}
