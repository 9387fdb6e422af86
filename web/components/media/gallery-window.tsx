import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { GalleryItem } from './gallery.tsx';

/** As in the style sheets of the small gallery. */
const GAP = { x: 16, y: 20 };
const SMALLEST_TILE = 152;
/** Name and details below the picture. */
const CAPTION_PIXELS = 48;

type GalleryWindowProps = {
  label: string;
  items: GalleryItem[];
  renderTile: (item: GalleryItem) => ReactNode;
};

/** The rows in and around the window, while the page scrolls; the others are only room. */
export function GalleryWindow({ label, items, renderTile }: GalleryWindowProps) {
  const list = useRef<HTMLUListElement>(null);
  const { width, top } = usePlace(list);
  const [focusedIndex, setFocusedIndex] = useState(-1);
  const columns = Math.max(2, Math.floor((width + GAP.x) / (SMALLEST_TILE + GAP.x)));
  const tilePixels = (width - GAP.x * (columns - 1)) / columns;
  const rowPixels = tilePixels + CAPTION_PIXELS + GAP.y;
  const focusedRow = focusedIndex < 0 ? -1 : Math.floor(focusedIndex / columns);
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(items.length / columns),
    estimateSize: useCallback(() => rowPixels, [rowPixels]),
    overscan: 3,
    scrollMargin: top,
    // The row that has the keyboard's focus stays, however far it is scrolled away.
    rangeExtractor: useCallback(
      (range: Range) => {
        const rows = defaultRangeExtractor(range);
        if (focusedRow < 0 || focusedRow >= range.count || rows.includes(focusedRow)) return rows;
        return [...rows, focusedRow].sort((one, other) => one - other);
      },
      [focusedRow],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height lie elsewhere.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowPixels]);
  const indexes = virtualizer.getVirtualItems().flatMap(({ index }) => {
    const first = index * columns;
    return Array.from({ length: Math.min(columns, items.length - first) }, (_, each) => first + each);
  });
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative mt-4"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {width > 0 &&
        indexes.map((index) => (
          <li
            key={items[index]!.id}
            aria-posinset={index + 1}
            aria-setsize={items.length}
            className="absolute top-0 left-0"
            style={{
              width: tilePixels,
              translate: `${(index % columns) * (tilePixels + GAP.x)}px ${Math.floor(index / columns) * rowPixels}px`,
            }}
            onFocus={() => setFocusedIndex(index)}
          >
            {renderTile(items[index]!)}
          </li>
        ))}
    </ul>
  );
}

/** How wide the list is, and how far below the page's beginning. */
function usePlace(list: { current: HTMLElement | null }) {
  const [place, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const next = { width: box.width, top: Math.round(box.top + window.scrollY) };
      setPlace((last) => (last.width === next.width && last.top === next.top ? last : next));
    };
    measure();
    // The page changes its height when something above the list does.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return place;
}
