import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useId, useLayoutEffect, useRef, useState } from 'react';
import { FileIcon } from '../data/file-icon.tsx';
import { FileNameText } from '../data/file-name-text.tsx';
import { Picture } from './thumbnail.tsx';

type GalleryItem = {
  id: string;
  name: string;
  mimeType?: string | null | undefined;
  /** Without one, an icon for the file type is shown. */
  thumbnailUrl?: string | undefined;
  /** Shown below the name, for example the size. */
  details: string;
};

type GalleryProps = {
  /** Accessible name of the list. */
  label: string;
  items: GalleryItem[];
  onOpen: (id: string) => void;
  /** Accessible name of the button that opens an item. */
  nameAction: (item: GalleryItem) => string;
  /** Drawn over the corner of each tile, for example a checkbox. */
  renderCorner?: ((item: GalleryItem) => ReactNode) | undefined;
};

/** Larger galleries are virtualized. */
const MAX_UNVIRTUALIZED_TILES = 200;

/** Files as a grid of thumbnails with names. */
export function Gallery({ label, items, onOpen, nameAction, renderCorner }: GalleryProps) {
  const renderTile = (item: GalleryItem) => (
    <Tile item={item} onOpen={onOpen} action={nameAction(item)} corner={renderCorner?.(item)} />
  );
  if (items.length > MAX_UNVIRTUALIZED_TILES) return <VirtualGallery {...{ label, items, renderTile }} />;
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.5rem)),1fr))] gap-x-4 gap-y-5 pt-4"
    >
      {items.map((item) => (
        <li key={item.id} className="min-w-0">
          {renderTile(item)}
        </li>
      ))}
    </ul>
  );
}

type TileProps = { item: GalleryItem; onOpen: (id: string) => void; action: string; corner: ReactNode };

function Tile({ item, onOpen, action, corner }: TileProps) {
  const describedBy = useId();
  return (
    <div className="relative">
      <button
        type="button"
        aria-label={action}
        aria-describedby={describedBy}
        onClick={() => onOpen(item.id)}
        className="group block w-full rounded-sm text-left"
      >
        <span className="relative grid aspect-square w-full place-items-center overflow-hidden rounded-sm border border-line bg-surface transition-colors duration-(--quick) group-hover:border-edge">
          <Picture
            src={item.thumbnailUrl}
            className="absolute inset-0 size-full object-cover transition-[scale] duration-(--calm) ease-settle group-hover:scale-[1.03]"
          >
            <FileIcon fileName={item.name} mimeType={item.mimeType ?? null} className="[&]:size-10" />
          </Picture>
        </span>
        <FileNameText name={item.name} className="mt-2 text-sm" />
      </button>
      <p id={describedBy} className="tabular truncate text-xs text-ink-faint">
        {item.details}
      </p>
      {corner && <span className="absolute top-2 left-2 grid">{corner}</span>}
    </div>
  );
}

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
function VirtualGallery({ label, items, renderTile }: VirtualGalleryProps) {
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
