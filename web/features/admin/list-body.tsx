import type { ReactNode } from 'react';
import { Failure, LoadingRows, NothingFound } from './admin-states.tsx';
import { Pager } from './pager.tsx';
import type { usePages } from './use-pages.ts';

type ListBodyProps<Row> = {
  /** In the plural: "users". */
  what: string;
  list: Pick<ReturnType<typeof usePages>, 'paging' | 'isSearching' | 'isRefreshing' | 'error' | 'refetch'> & {
    rows: Row[] | undefined;
  };
  /** Shows all again; undefined: the list is not narrowed. */
  onClear: (() => void) | undefined;
  /** There are none at all. */
  nothing: ReactNode;
  children: (rows: Row[]) => ReactNode;
};

/** All that can stand where a list's rows do. */
export function ListBody<Row>({ what, list, onClear, nothing, children }: ListBodyProps<Row>) {
  const { rows, paging, error, isRefreshing, isSearching, refetch } = list;
  if (!rows)
    return error && !isRefreshing ? (
      <Failure what={`The ${what}`} error={error} onRetry={refetch} />
    ) : (
      <LoadingRows what={what} />
    );
  if (rows.length === 0 && paging.number === 1 && !paging.hasNext)
    return onClear ? <NothingFound what={what} onClear={onClear} /> : nothing;
  return (
    <div aria-busy={isSearching} className="transition-opacity aria-busy:opacity-60">
      {children(rows)}
      <Pager label={`Pages of ${what}`} paging={paging} />
    </div>
  );
}
