import { type FocusEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { Button } from '../../components/button.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { recallPlace, rememberPlace } from './list-memory.ts';
import { titleIdOf } from './transfer-card.tsx';
import { TransferItem } from './transfer-item.tsx';
import { useTransfersBeingDeleted } from './transfer-queries.ts';
import { useCardWindow } from './use-card-window.ts';

/** Ask for the next page when so few of the loaded cards are left below. */
const PREFETCH = 25;

type TransferListProps = {
  transfers: Transfer[];
  /** There are more on the server. */
  hasMore: boolean;
  isLoadingMore: boolean;
  /** The last page asked for did not come. */
  hasFailed: boolean;
  onMore: () => void;
};

/** The cards in and around the window; the others are only room (10,000 transfers scroll like ten). */
export function TransferList({ transfers, hasMore, isLoadingMore, hasFailed, onMore }: TransferListProps) {
  const historyKey = useLocation().key;
  const [place] = useState(() => recallPlace(historyKey));
  const [focusedId, setFocusedId] = useState<string | undefined>();
  const list = useRef<HTMLUListElement>(null);
  const virtualizer = useCardWindow({ list, transfers, focusedId, place });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? -1;
  const wantsMore = hasMore && !isLoadingMore && !hasFailed && lastIndex >= transfers.length - PREFETCH;
  const leaving = useTransfersBeingDeleted();

  useEffect(() => {
    if (wantsMore) onMore();
  }, [wantsMore, onMore]);

  // Back leads to the card one came from, not only to its place.
  const awaited = useRef(place?.focusedId);
  useEffect(() => {
    const title = awaited.current && document.getElementById(titleIdOf(awaited.current));
    if (!title) return;
    awaited.current = undefined;
    title.querySelector('a')?.focus({ preventScroll: true });
  });

  // Only when the focus has gone elsewhere, not on its way from one button to the next.
  const forget = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !list.current?.contains(relatedTarget)) setFocusedId(undefined);
  };

  const focused = useRef(focusedId);
  focused.current = focusedId;
  useLayoutEffect(
    () => () =>
      rememberPlace(historyKey, {
        scrollY: virtualizer.scrollOffset ?? 0,
        measurements: virtualizer.takeSnapshot(),
        focusedId: focused.current,
      }),
    [historyKey, virtualizer],
  );

  return (
    <>
      <ul
        ref={list}
        aria-label="Transfers"
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
        onBlur={forget}
      >
        {items.map(({ index, start }) => {
          const transfer = transfers[index]!;
          return (
            <li
              key={transfer.id}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              // As long as there is more, nobody knows how much.
              aria-setsize={hasMore ? -1 : transfers.length}
              className="absolute inset-x-0 top-0"
              style={{ translate: `0 ${start - virtualizer.options.scrollMargin}px` }}
              onFocus={() => setFocusedId(transfer.id)}
            >
              <TransferItem transfer={transfer} isLeaving={leaving.includes(transfer.id)} />
            </li>
          );
        })}
      </ul>
      {hasMore && <Rest hasFailed={hasFailed} onRetry={onMore} />}
    </>
  );
}

/** What stands below the loaded cards while there are more. */
function Rest({ hasFailed, onRetry }: { hasFailed: boolean; onRetry: () => void }) {
  return (
    <div className="flex min-h-16 items-center justify-center gap-4 text-sm text-ink-soft" role="status">
      {hasFailed ? (
        <>
          The next transfers did not load.
          <Button variant="secondary" size="sm" onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : (
        <>
          <Spinner /> Loading more transfers
        </>
      )}
    </div>
  );
}
