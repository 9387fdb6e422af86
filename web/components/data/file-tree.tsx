import { plural } from '@lingui/core/macro';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight, Folder, FolderOpen } from 'lucide-react';
import {
  type CSSProperties,
  type ReactNode,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { classNames } from '../../lib/class-names.ts';
import {
  type FileNode,
  type FolderNode,
  listFoldersOpenAtFirst,
  listTreeRows,
  type TreeRow,
} from '../../lib/values/file-tree.ts';
import { FileIcon } from './file-icon.tsx';

type FileTreeProps<Value> = {
  /** The accessible name. */
  label: string;
  /** From `buildFileTree`, memoized. */
  tree: FolderNode<Value>;
  /** Usually a `FileRow`. */
  renderFile: (node: FileNode<Value>) => ReactNode;
  /** Drawn before a folder's row, for example a checkbox. */
  renderFolderLead?: (node: FolderNode<Value>) => ReactNode;
  /** Buttons at the end of a folder's row. */
  renderFolderActions?: (node: FolderNode<Value>) => ReactNode;
  /** Opens every folder by default, so that search results are visible. */
  isUnfolded?: boolean;
  className?: string;
};

/** Larger trees are virtualized. */
const MOST_DRAWN_FILES = 200;
/** Until a row has been measured. */
const ROW_PIXELS = 57;
/** Indentation per level. */
const STEP = '[--step:0.75rem] sm:[--step:1.25rem]';

/** Files in collapsible folders. Stays fast with 100,000 files. */
export function FileTree<Value>({
  label,
  tree,
  className,
  isUnfolded = false,
  ...rendering
}: FileTreeProps<Value>) {
  const openAtFirst = useMemo(
    () => listFoldersOpenAtFirst(tree, isUnfolded ? Number.POSITIVE_INFINITY : undefined),
    [tree, isUnfolded],
  );
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (folder: FolderNode<Value>) => choices.get(folder.key) ?? openAtFirst.has(folder.key);
  const rows = useMemo(
    () => listTreeRows(tree, (folder) => choices.get(folder.key) ?? openAtFirst.has(folder.key)),
    [tree, choices, openAtFirst],
  );
  const renderNode = ({ node }: TreeRow<Value>) => {
    if (node.kind === 'file') return rendering.renderFile(node);
    const toggle = () => setChoices(new Map(choices).set(node.key, !isOpen(node)));
    return (
      <FolderRow
        node={node}
        isOpen={isOpen(node)}
        onToggle={toggle}
        lead={rendering.renderFolderLead?.(node)}
        actions={rendering.renderFolderActions?.(node)}
      />
    );
  };
  // Depends on the file count, not on the visible rows: opening a folder must not replace the list and lose the
  // focus.
  const List = tree.fileCount > MOST_DRAWN_FILES ? WindowedList : PlainList;
  return <List label={label} rows={rows} renderNode={renderNode} className={className} />;
}

type ListProps<Value> = {
  label: string;
  rows: TreeRow<Value>[];
  renderNode: (row: TreeRow<Value>) => ReactNode;
  className?: string;
};

function PlainList<Value>({ label, rows, renderNode, className }: ListProps<Value>) {
  return (
    <ul aria-label={label} className={classNames('divide-y divide-line', STEP, className)}>
      {rows.map((row) => (
        <li key={row.node.key} style={indentation(row.depth)}>
          {renderNode(row)}
        </li>
      ))}
    </ul>
  );
}

function WindowedList<Value>({ label, rows, renderNode, className }: ListProps<Value>) {
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className={classNames('max-h-[min(42rem,75vh)] overflow-y-auto rounded-sm', STEP, className)}
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

/** Deep levels are not indented further, so that names fit on phones. */
function indentation(depth: number): CSSProperties {
  return { paddingInlineStart: `calc(${Math.min(depth, 6)} * var(--step))` };
}

type FolderRowProps<Value> = {
  node: FolderNode<Value>;
  isOpen: boolean;
  onToggle: () => void;
  lead: ReactNode;
  actions: ReactNode;
};

function FolderRow<Value>({ node, isOpen, onToggle, lead, actions }: FolderRowProps<Value>) {
  const Icon = isOpen ? FolderOpen : Folder;
  return (
    <div className="flex items-center gap-3">
      {lead}
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="group flex min-h-14 min-w-0 grow items-center gap-3 rounded-sm text-left focus-visible:-outline-offset-2"
      >
        <Icon aria-hidden="true" strokeWidth={1.5} className="size-6 shrink-0 text-ink-soft" />
        <span className="min-w-0 grow truncate font-medium">
          <bdi>{node.name}</bdi>
        </span>
        <span className="tabular shrink-0 text-sm text-ink-faint">
          {plural(node.fileCount, { one: '# file', other: '# files' })}
          <span className="max-sm:hidden"> · {formatSize(node.sizeBytes)}</span>
        </span>
        <ChevronRight
          aria-hidden="true"
          className={classNames(
            'size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk) group-hover:text-ink',
            isOpen && 'rotate-90',
          )}
        />
      </button>
      {actions}
    </div>
  );
}

type FileRowProps = {
  name: string;
  mimeType?: string | null;
  /** Below the name: size, counts. */
  details: ReactNode;
  /** At the end of the row: buttons, progress. */
  aside?: ReactNode;
  /** Replaces the file icon, for example a `Thumbnail`. */
  picture?: ReactNode;
};

export function FileRow({ name, mimeType, details, aside, picture }: FileRowProps) {
  return (
    <div className="flex min-h-14 items-center gap-3 py-2">
      {picture ?? <FileIcon fileName={name} mimeType={mimeType} />}
      <div className="min-w-0 grow">
        <p className="truncate" title={name}>
          <bdi>{name}</bdi>
        </p>
        <p className="tabular text-sm text-ink-faint">{details}</p>
      </div>
      {aside}
    </div>
  );
}
