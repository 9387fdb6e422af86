import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { indentation, type RowsProps, STEP } from './plain-rows.tsx';

/** Until a row has been measured. */
const ROW_PIXELS = 57;

/** The rows of a long `FileTree`: renders only those in and near the viewport. */
export function WindowedRows<Value>({ label, rows, renderNode, className }: RowsProps<Value>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focusedKey, setFocusedKey] = useState<string | undefined>();
  const focusedIndex = useMemo(
    () => (focusedKey === undefined ? -1 : rows.findIndex(({ node }) => node.key === focusedKey)),
    [rows, focusedKey],
  );
  const rowPixels = useRef(ROW_PIXELS);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]!.node.key,
    estimateSize: () => rowPixels.current,
    overscan: 12,
    // Keep the focused row mounted when it scrolls out of view.
    rangeExtractor: useCallback(
      (range: Range) => withIndex(defaultRangeExtractor(range), focusedIndex),
      [focusedIndex],
    ),
  });
  // Row heights differ between pages, and a wrong estimate times a thousand rows would misplace the end.
  const lines = virtualizer.getVirtualItems();
  const areDrawn = lines.length > 0;
  useLayoutEffect(() => {
    const line = areDrawn && scroller.current?.querySelector<HTMLElement>('li:last-of-type');
    if (!line) return;
    rowPixels.current = line.offsetHeight;
    virtualizer.measure();
  }, [virtualizer, areDrawn]);
  return (
    <section
      ref={scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can only scroll it if it takes the focus.
      tabIndex={0}
      className={classNames('overflow-y-auto rounded-sm', STEP, className)}
    >
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {lines.map(({ index, key, start }) => {
          const row = rows[index]!;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              className="absolute inset-x-0 top-0 border-b border-line"
              style={{ ...indentation(row.depth), translate: `0 ${start}px` }}
              onFocus={() => setFocusedKey(row.node.key)}
            >
              {renderNode(row)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function withIndex(indexes: number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((one, other) => one - other);
}
