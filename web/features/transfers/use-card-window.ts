import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import type { ListPlace } from './list-memory.ts';

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
export function useCardWindow({ list, transfers, focusedId, place }: CardWindow) {
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
