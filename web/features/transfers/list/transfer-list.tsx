import {
  defaultRangeExtractor,
  type Range,
  useWindowVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'react-router';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { Button } from '../../../components/button.tsx';
import { Spinner } from '../../../components/spinner.tsx';
import { useMediaQuery } from '../../../lib/use-media-query.ts';
import { useTransfersBeingDeleted } from '../transfer-queries.ts';
import { TransferItem, titleIdOf } from './transfer-card.tsx';

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

/** Pixels of a card with the room below it, until it is measured; the nearer the truth, the calmer the page. */
const CARD_PIXELS = { wide: 182, narrow: 212, line: 26 };

type CardWindow = {
  list: RefObject<HTMLElement | null>;
  transfers: Transfer[];
  /** The card that has the keyboard's focus stays, however far it is scrolled away. */
  focusedId: string | undefined;
  /** Where the list was left. */
  place: ListPlace | undefined;
};

/** Which of the cards are drawn, and where, while the page scrolls. */
function useCardWindow({ list, transfers, focusedId, place }: CardWindow) {
  const isNarrow = useMediaQuery('(max-width: 639.98px)');
  const [scrollMargin, setScrollMargin] = useState(0);
  const focusedIndex = focusedId ? transfers.findIndex(({ id }) => id === focusedId) : -1;
  const virtualizer = useWindowVirtualizer({
    count: transfers.length,
    getItemKey: useCallback((index: number) => transfers[index]!.id, [transfers]),
    estimateSize: (index) =>
      CARD_PIXELS[isNarrow ? 'narrow' : 'wide'] + CARD_PIXELS.line * countLines(transfers[index]!),
    overscan: 6,
    scrollMargin,
    ...(place && { initialOffset: place.scrollY, initialMeasurementsCache: place.measurements }),
    rangeExtractor: useCallback(
      (range: Range) => withIndex(defaultRangeExtractor(range), focusedIndex),
      [focusedIndex],
    ),
  });
  // Also on the way up, where cards are measured that were only guessed before: what is in view must not move.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ end }, _delta, { scrollOffset }) =>
    end <= (scrollOffset ?? 0);
  // Every time: what stands above the list may have changed its height.
  useLayoutEffect(() => {
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setScrollMargin(Math.round(top));
  });
  return virtualizer;
}

/** Lines that not every card has. */
function countLines({ recipientEmails, receivedFrom }: Transfer): number {
  return Number(recipientEmails.length > 0) + Number(receivedFrom !== null);
}

function withIndex(indexes: number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((one, other) => one - other);
}

/** How a list was left: where it stood, what was measured, and which card had the focus. */
type ListPlace = {
  /** Pixels from the top of the page. */
  scrollY: number;
  measurements: VirtualItem[];
  focusedId: string | undefined;
};

const places = new Map<string, ListPlace>();

/** Keyed by the history entry, so that every step back finds its own place. */
function rememberPlace(historyKey: string, place: ListPlace): void {
  places.set(historyKey, place);
}

function recallPlace(historyKey: string): ListPlace | undefined {
  return places.get(historyKey);
}
