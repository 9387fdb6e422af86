import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { useMediaQuery } from '../../../lib/hooks/use-media-query.ts';
import { usePlace } from '../../../lib/routing.tsx';
import type { Selection } from '../../../lib/values/use-selection.ts';
import { useTransfersBeingDeleted } from '../deletion.ts';
import { type CardActions, TransferItem, titleIdOf } from './transfer-card.tsx';

/** Load the next page when only this many cards are left below. */
const PREFETCH = 25;

type TransferListProps = {
  transfers: ListedTransfer[];
  /** More transfers are on the server. */
  hasMore: boolean;
  isLoadingMore: boolean;
  /** The last page failed to load. */
  hasFailed: boolean;
  onMore: () => void;
  selection: Selection<ListedTransfer>;
  actions: Omit<CardActions, 'onChoose'>;
};

/** Renders only the cards near the viewport, so that 10,000 transfers scroll like ten. */
export function TransferList({
  transfers,
  hasMore,
  isLoadingMore,
  hasFailed,
  onMore,
  selection,
  actions,
}: TransferListProps) {
  const historyKey = usePlace().key;
  const [place] = useState(() => recallPlace(historyKey));
  const [focusedId, setFocusedId] = useState<string | undefined>();
  const list = useRef<HTMLUListElement>(null);
  const virtualizer = useCardWindow({ list, transfers, focusedId, place });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? -1;
  const wantsMore = hasMore && !isLoadingMore && !hasFailed && lastIndex >= transfers.length - PREFETCH;
  const leaving = useTransfersBeingDeleted();
  const onChoose = useRangeChoice(transfers, selection);
  const { onOpen, onDelete } = actions;
  const focusNeighbor = useNeighborFocus(transfers);
  const cardActions = useMemo(
    () => ({
      onOpen,
      onChoose,
      onDelete: (transfer: ListedTransfer) => {
        focusNeighbor(transfer);
        onDelete(transfer);
      },
    }),
    [onOpen, onDelete, onChoose, focusNeighbor],
  );

  useEffect(() => {
    if (wantsMore) onMore();
  }, [wantsMore, onMore]);

  // Going back focuses the card the user came from.
  const awaited = useRef(place?.focusedId);
  useEffect(() => {
    const title = awaited.current && document.getElementById(titleIdOf(awaited.current));
    if (!title) return;
    awaited.current = undefined;
    title.querySelector('a')?.focus({ preventScroll: true });
  });

  // Only when the focus leaves the list, not between its buttons.
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
        aria-label={t`Transfers`}
        className="relative border-t border-line"
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
              // The total is unknown until the last page.
              aria-setsize={hasMore ? -1 : transfers.length}
              className="absolute inset-x-0 top-0"
              style={{ translate: `0 ${start - virtualizer.options.scrollMargin}px` }}
              onFocus={() => setFocusedId(transfer.id)}
            >
              <TransferItem
                transfer={transfer}
                isLeaving={leaving.includes(transfer.id)}
                isChosen={selection.has(transfer)}
                isChoosing={selection.chosen.length > 0}
                actions={cardActions}
              />
            </li>
          );
        })}
      </ul>
      {hasMore && <Rest hasFailed={hasFailed} onRetry={onMore} />}
    </>
  );
}

/** Shown below the cards while there are more. */
function Rest({ hasFailed, onRetry }: { hasFailed: boolean; onRetry: () => void }) {
  return (
    <div className="flex min-h-16 items-center justify-center gap-4 text-sm text-ink-soft" role="status">
      {hasFailed ? (
        <>
          <Trans>The next transfers couldn't be loaded.</Trans>
          <Button variant="secondary" size="sm" onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
        </>
      ) : (
        <>
          <Spinner /> <Trans>Loading more transfers</Trans>
        </>
      )}
    </div>
  );
}

/** Keeps the place of the keyboard when a card goes: focuses the next card, or the one before the last. */
function useNeighborFocus(transfers: ListedTransfer[]): (transfer: ListedTransfer) => void {
  const listed = useRef(transfers);
  listed.current = transfers;
  return useCallback(({ id }) => {
    const index = listed.current.findIndex((each) => each.id === id);
    const neighbor = listed.current[index + 1] ?? listed.current[index - 1];
    const link = neighbor && document.getElementById(titleIdOf(neighbor.id))?.querySelector('a');
    (link ?? document.getElementById('main'))?.focus({ preventScroll: true });
  }, []);
}

/** Chooses one card, or with Shift everything between it and the last one. */
function useRangeChoice(
  transfers: ListedTransfer[],
  { choose }: Pick<Selection<ListedTransfer>, 'choose'>,
): CardActions['onChoose'] {
  const anchor = useRef<string | undefined>(undefined);
  const listed = useRef(transfers);
  listed.current = transfers;
  return useCallback(
    (transfer, isChosen, isRange) => {
      const indexOf = (id: string | undefined) => listed.current.findIndex((each) => each.id === id);
      const [from, to] = [indexOf(anchor.current), indexOf(transfer.id)];
      const range =
        isRange && from >= 0 ? listed.current.slice(Math.min(from, to), Math.max(from, to) + 1) : [transfer];
      anchor.current = transfer.id;
      choose(range, isChosen);
    },
    [choose],
  );
}

/** Estimated height of a card, until it is measured. Good estimates avoid jumps. */
const CARD_PIXELS = { wide: 59, narrow: 147, line: 20 };

type CardWindow = {
  list: RefObject<HTMLElement | null>;
  transfers: ListedTransfer[];
  /** The focused card stays mounted, however far it is scrolled away. */
  focusedId: string | undefined;
  /** Where the list was left. */
  place: ListPlace | undefined;
};

/** The cards to render, and their positions. */
function useCardWindow({ list, transfers, focusedId, place }: CardWindow) {
  const isNarrow = useMediaQuery('(max-width: 639.98px)');
  const [scrollMargin, setScrollMargin] = useState(0);
  const focusedIndex = focusedId ? transfers.findIndex(({ id }) => id === focusedId) : -1;
  const virtualizer = useWindowVirtualizer({
    count: transfers.length,
    getItemKey: useCallback((index: number) => transfers[index]!.id, [transfers]),
    estimateSize: (index) =>
      isNarrow ? CARD_PIXELS.narrow + CARD_PIXELS.line * countLines(transfers[index]!) : CARD_PIXELS.wide,
    overscan: 5,
    scrollMargin,
    ...(place && { initialOffset: place.scrollY, initialMeasurementsCache: place.measurements }),
    rangeExtractor: useCallback(
      (range: Range) => withIndex(defaultRangeExtractor(range), focusedIndex),
      [focusedIndex],
    ),
  });
  // Scrolling up measures cards that were estimated before: what is in view must not move.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ end }, _delta, { scrollOffset }) =>
    end <= (scrollOffset ?? 0);
  // After every render, because the content above may have changed its height.
  useLayoutEffect(() => {
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setScrollMargin(Math.round(top));
  });
  return virtualizer;
}

/** Optional lines of a card on a phone, where Download has a line of its own. */
function countLines({ recipientEmails, receivedFrom }: ListedTransfer): number {
  return 2 * Number(recipientEmails.length > 0) + 3 * Number(receivedFrom !== null);
}

function withIndex(indexes: number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((one, other) => one - other);
}

/** How a list was left: scroll position, measurements and focused card. */
type ListPlace = {
  /** Pixels from the top of the page. */
  scrollY: number;
  measurements: VirtualItem[];
  focusedId: string | undefined;
};

const places = new Map<string, ListPlace>();

/** Keyed by history entry, so that each step back finds its own place. */
function rememberPlace(historyKey: string, place: ListPlace): void {
  places.set(historyKey, place);
}

function recallPlace(historyKey: string): ListPlace | undefined {
  return places.get(historyKey);
}
