import { t } from '@lingui/core/macro';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useRef } from 'react';
import type { LightboxItem } from './lightbox.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** Width of a thumbnail including its gap. */
const CELL_PIXELS = 72;

type LightboxFilmstripProps = { items: LightboxItem[]; index: number; onShow: (index: number) => void };

/** Virtualized row of all thumbnails. It is a single tab stop, because the arrow keys already page. */
export function LightboxFilmstrip({ items, index, onShow }: LightboxFilmstripProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const current = useRef<HTMLButtonElement>(null);
  const hasFocus = useRef(false);
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (each) => items[each]!.id,
    estimateSize: () => CELL_PIXELS,
    overscan: 8,
    rangeExtractor: useCallback(
      (range: Range) =>
        [...new Set([...defaultRangeExtractor(range), index])].sort((one, other) => one - other),
      [index],
    ),
  });
  useLayoutEffect(() => {
    virtualizer.scrollToIndex(index, { align: 'center' });
    // When focus is in the filmstrip, it follows the current item.
    if (hasFocus.current) current.current?.focus({ preventScroll: true });
  }, [virtualizer, index]);
  return (
    <nav
      ref={scroller}
      aria-label={t`All files`}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      className="mx-auto max-w-full shrink-0 overflow-x-auto px-4 pt-3 pb-4 [scrollbar-width:none]"
    >
      <ul className="relative h-16" style={{ width: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index: each, key, start }) => {
          const isCurrent = each === index;
          return (
            <li
              key={key}
              className="absolute top-0 left-0 p-1"
              style={{ translate: `${start}px 0` }}
              aria-posinset={each + 1}
              aria-setsize={items.length}
            >
              <button
                type="button"
                ref={isCurrent ? current : undefined}
                tabIndex={isCurrent ? 0 : -1}
                aria-label={items[each]!.name}
                aria-current={isCurrent || undefined}
                onClick={() => onShow(each)}
                className="block rounded-xs bg-surface opacity-60 transition-opacity duration-(--quick) hover:opacity-100 aria-current:opacity-100 aria-current:outline-2 aria-current:outline-offset-2 aria-current:outline-accent-ink"
              >
                <Thumbnail
                  src={items[each]!.thumbnailUrl}
                  name={items[each]!.name}
                  box="size-14 rounded-xs"
                />
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
