import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronLeft, ChevronRight, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import { Button } from '../../../components/actions/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { Failure, LoadingRows } from '../admin-page.tsx';
import type { Paging, usePages } from './use-pages.ts';

type ListBodyProps<Row> = {
  list: Pick<ReturnType<typeof usePages>, 'paging' | 'isSearching' | 'isRefreshing' | 'error' | 'refetch'> & {
    rows: Row[] | undefined;
  };
  /** Clears the filters; undefined if none are set. */
  onClear: (() => void) | undefined;
  nothing: ReactNode;
  children: (rows: Row[]) => ReactNode;
};

export function ListBody<Row>({ list, onClear, nothing, children }: ListBodyProps<Row>) {
  const { rows, paging, error, isRefreshing, isSearching, refetch } = list;
  if (!rows)
    return error && !isRefreshing ? (
      <Failure title={t`The list couldn't be loaded`} error={error} onRetry={refetch} />
    ) : (
      <LoadingRows />
    );
  if (rows.length === 0 && paging.number === 1 && !paging.hasNext)
    return onClear ? <NothingFound onClear={onClear} /> : nothing;
  return (
    <div aria-busy={isSearching} className="transition-opacity aria-busy:opacity-60">
      {children(rows)}
      <Pager label={t`Pages`} paging={paging} />
    </div>
  );
}

/** Previous and next page; renders nothing for a single page. */
function Pager({ label, paging }: { label: string; paging: Paging }) {
  const { number, hasPrevious, hasNext, isLoadingNext, error, previous, next } = paging;
  if (!hasPrevious && !hasNext) return null;
  return (
    <nav aria-label={label} className="mt-6 flex flex-wrap items-center justify-center gap-3">
      <Button
        variant="secondary"
        size="sm"
        icon={<ChevronLeft aria-hidden="true" />}
        disabled={!hasPrevious}
        onClick={previous}
      >
        <Trans>Previous</Trans>
      </Button>
      <span className="tabular min-w-16 text-center text-sm text-ink-soft">
        <Trans>Page {number}</Trans>
      </span>
      <Button variant="secondary" size="sm" disabled={!hasNext} isBusy={isLoadingNext} onClick={next}>
        <Trans>Next</Trans> <ChevronRight aria-hidden="true" />
      </Button>
      {error && (
        <p role="alert" className="w-full text-center text-sm text-danger-ink">
          <Trans>The next page couldn't be loaded. {errorDetail(error)}</Trans>
        </p>
      )}
      <VisuallyHidden isAnnounced>{t`Page ${number}`}</VisuallyHidden>
    </nav>
  );
}

/** Empty state of a filtered list. */
function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title={t`No results`}
      description={t`Nothing matches your search.`}
      action={
        <Button variant="secondary" onClick={onClear}>
          <Trans>Clear filters</Trans>
        </Button>
      }
    />
  );
}
