import { plural } from '@lingui/core/macro';
import { ChevronRight, Folder, FolderOpen } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { classNames } from '../../lib/class-names.ts';
import { lateModule } from '../../lib/loading/late-module.ts';
import {
  type FileNode,
  type FolderNode,
  listFoldersOpenAtFirst,
  listTreeRows,
  type TreeRow,
} from '../../lib/values/file-tree.ts';
import { Skeleton } from '../feedback/skeleton.tsx';
import { FileIcon } from './file-icon.tsx';
import { PlainRows } from './plain-rows.tsx';

const useWindowedRows = lateModule(() => import('./windowed-rows.tsx'));

type FileTreeProps<Value> = {
  /** The accessible name. */
  label: string;
  /** From `buildFileTree`, memoized. */
  tree: FolderNode<Value>;
  /** All files if more are on their way, so that the kind of list does not change when they arrive. */
  fileCount?: number | undefined;
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
/** As many as fit on a screen; drawn until the code for long lists is there. */
const FIRST_ROWS = 12;

const LONG_LIST_BOX = 'max-h-[min(42rem,75vh)]';

/** Files in collapsible folders. Stays fast with 100,000 files. */
export function FileTree<Value>({
  label,
  tree,
  fileCount = tree.fileCount,
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
  const isLong = Math.max(fileCount, tree.fileCount) > MOST_DRAWN_FILES;
  const windowed = useWindowedRows(isLong);
  const list = { label, renderNode };
  if (!isLong) return <PlainRows {...list} rows={rows} className={className} />;
  const boxed = classNames(LONG_LIST_BOX, className);
  const awaitedRows = tree.fileCount < fileCount ? Math.max(0, FIRST_ROWS - rows.length) : 0;
  if (windowed && awaitedRows === 0) return <windowed.WindowedRows {...list} rows={rows} className={boxed} />;
  return (
    <div className={classNames(boxed, 'overflow-hidden')}>
      <PlainRows {...list} rows={rows.slice(0, FIRST_ROWS)} />
      <AwaitedRows count={awaitedRows} />
    </div>
  );
}

/** Keeps the place of rows that are still loading, so that nothing below them moves. */
function AwaitedRows({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same.
    <div key={index} aria-hidden="true" className="flex h-14 items-center border-t border-line">
      <Skeleton className="h-4 w-1/2" />
    </div>
  ));
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
