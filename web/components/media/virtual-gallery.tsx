import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { GalleryItem } from './gallery.tsx';

/** Must match the grid classes in `Gallery`. */
const GAP_PIXELS = { x: 16, y: 20 };
const MIN_TILE_PIXELS = 152;
/** Height of the name and details below the thumbnail. */
const CAPTION_PIXELS = 48;

type VirtualGalleryProps = {
  label: string;
  items: GalleryItem[];
  renderTile: (item: GalleryItem) => ReactNode;
};

/** Renders only the rows in and near the viewport. */
export function VirtualGallery({ label, items, renderTile }: VirtualGalleryProps) {
  const list = useRef<HTMLUListElement>(null);
  const { width, top } = usePosition(list);
  const [focusedIndex, setFocusedIndex] = useState(-1);
  const columns = Math.max(2, Math.floor((width + GAP_PIXELS.x) / (MIN_TILE_PIXELS + GAP_PIXELS.x)));
  const tilePixels = (width - GAP_PIXELS.x * (columns - 1)) / columns;
  const rowPixels = tilePixels + CAPTION_PIXELS + GAP_PIXELS.y;
  const focusedRow = focusedIndex < 0 ? -1 : Math.floor(focusedIndex / columns);
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(items.length / columns),
    estimateSize: useCallback(() => rowPixels, [rowPixels]),
    overscan: 3,
    scrollMargin: top,
    // Keep the focused row mounted when it scrolls out of view, so that it doesn't lose focus.
    rangeExtractor: useCallback(
      (range: Range) => {
        const rows = defaultRangeExtractor(range);
        if (focusedRow < 0 || focusedRow >= range.count || rows.includes(focusedRow)) return rows;
        return [...rows, focusedRow].sort((one, other) => one - other);
      },
      [focusedRow],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new row height moves every row.
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
              translate: `${(index % columns) * (tilePixels + GAP_PIXELS.x)}px ${Math.floor(index / columns) * rowPixels}px`,
            }}
            onFocus={() => setFocusedIndex(index)}
          >
            {renderTile(items[index]!)}
          </li>
        ))}
    </ul>
  );
}

/** Width of the list and its distance from the top of the page, in pixels. */
function usePosition(list: { current: HTMLElement | null }) {
  const [position, setPosition] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const next = { width: box.width, top: Math.round(box.top + window.scrollY) };
      setPosition((last) => (last.width === next.width && last.top === next.top ? last : next));
    };
    measure();
    // The body resizes when content above the list changes height.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return position;
}
