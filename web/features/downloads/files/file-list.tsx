import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useCallback, useDeferredValue, useId, useMemo, useState } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { FilesLoading } from '../../../api/use-all-files.ts';
import { FileTree } from '../../../components/data/file-tree.tsx';
import { type FilesView, ViewToggle } from '../../../components/data/view-toggle.tsx';
import { FilesLoadingNote, FilesSkeleton } from '../../../components/feedback/files-loading.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { Gallery } from '../../../components/media/gallery.tsx';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { type FolderNode, listTreeFiles } from '../../../lib/values/file-tree.ts';
import { runAtOnce } from '../../../lib/values/in-slices.ts';
import { useSliced } from '../../../lib/values/use-sliced.ts';
import { type Arrangement, arrangeFiles, type FileOrder, folderOf, listOrders } from './arrange-files.ts';
import { FilesTick, FileTick } from './choosing/file-tick.tsx';
import { type FileChoice, sumSizes } from './choosing/use-file-choice.ts';
import { type FileActions, isPhoto, isPreviewable, nameFileAction, thumbnailUrlOf } from './file-actions.ts';
import { FileItem } from './file-item.tsx';

/** Shorter lists need neither filter nor sorting. */
const LONG_LIST = 12;

const useToolbar = lateModule(() => import('./file-toolbar.tsx'));

type FileListProps = FileActions & {
  /** Those loaded so far. */
  files: TransferFile[];
  choice: FileChoice;
  loading: FilesLoading;
};

/** Lists the files; each can be downloaded or selected. */
export function FileList({ files, choice, loading, ...actions }: FileListProps) {
  const { isDisabled } = actions;
  const orders = useMemo(() => listOrders(files), [files]);
  const [wishedOrder, setOrder] = useState<FileOrder>();
  const order = wishedOrder && orders.includes(wishedOrder) ? wishedOrder : orders[0]!;
  const [search, setSearch] = useState('');
  // Deferred, so that typing stays responsive with thousands of files.
  const found = useFoundFiles(files, { search: useDeferredValue(search), order });
  const [wishedView, setView] = useState<FilesView>();
  const hasPictures = files.some(({ thumbnail }) => thumbnail);
  const view = wishedView ?? (files.every(isPhoto) ? 'gallery' : 'list');
  const listed: FileActions = {
    ...actions,
    onPreview: (file) => actions.onPreview(file, found.shown),
  };
  const isLong = loading.fileCount > LONG_LIST;
  const loadedToolbar = useToolbar(isLong);
  const toolbar = isLong ? loadedToolbar : undefined;
  return (
    <section>
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line-firm pb-3">
        <h2 className="text-xl">
          <Trans>Files</Trans>
        </h2>
        <FilesLoadingNote {...loading} />
        {hasPictures && <ViewToggle view={view} onChange={setView} />}
      </header>
      {toolbar ? (
        <toolbar.FileToolbar {...{ search, order, orders }} onSearch={setSearch} onOrder={setOrder} />
      ) : (
        isLong && <ToolbarSkeleton />
      )}
      {!isDisabled && found.shown.length > 0 && (
        <ChooseAll files={found.shown} isFiltered={found.shown.length < files.length} choice={choice} />
      )}
      {found === NOTHING_YET ? (
        <FilesSkeleton />
      ) : found.shown.length === 0 ? (
        search.trim() && (
          <p className="border-t border-line py-10 text-center text-ink-soft">
            {loading.state === 'complete'
              ? t`No files match “${search}”.`
              : t`No files loaded so far match “${search}”.`}
          </p>
        )
      ) : hasPictures && view === 'gallery' ? (
        <FileGallery {...listed} shown={found.shown} choice={choice} />
      ) : (
        <FileTree
          key={found.order}
          label={t`Files`}
          tree={found.tree}
          fileCount={search.trim() ? undefined : loading.fileCount}
          isUnfolded={search.trim() !== ''}
          className="-mx-3 px-3"
          {...(!isDisabled && {
            renderFolderLead: (folder: FolderNode<TransferFile>) => (
              <FolderTick folder={folder} choice={choice} />
            ),
          })}
          renderFile={({ value: file }) => (
            <FileItem
              {...listed}
              {...{ file, choice, hasPictures }}
              shown={found.shown}
              folder={found.order === 'folders' ? '' : folderOf(file)}
            />
          )}
        />
      )}
      <VisuallyHidden isAnnounced>
        {search.trim() && t`${plural(found.shown.length, { one: '# file', other: '# files' })} found`}
        {choice.files.length > 0 && ` ${describeChoice(choice.files)}`}
      </VisuallyHidden>
    </section>
  );
}

function ToolbarSkeleton() {
  return (
    <div className="flex flex-col gap-3 py-4 sm:flex-row">
      <Skeleton className="h-control-md grow max-sm:flex-none" />
      <Skeleton className="h-control-md sm:w-44" />
    </div>
  );
}

function describeChoice(files: TransferFile[]): string {
  const size = formatSize(sumSizes(files));
  return plural(files.length, { one: `# file selected, ${size}`, other: `# files selected, ${size}` });
}

/** Longer lists are arranged in time slices; the previous list is shown meanwhile. */
const ARRANGED_AT_ONCE = 2_000;
const NOTHING_YET = runAtOnce(arrangeFiles([], { search: '', order: 'name' }));

function useFoundFiles(
  files: TransferFile[],
  { search, order }: { search: string; order: FileOrder },
): Arrangement {
  const work = useCallback(() => arrangeFiles(files, { search, order }), [files, search, order]);
  return useSliced(work, { isLong: files.length > ARRANGED_AT_ONCE }) ?? NOTHING_YET;
}

type ChooseAllProps = { files: TransferFile[]; isFiltered: boolean; choice: FileChoice };

function ChooseAll({ files, isFiltered, choice }: ChooseAllProps) {
  const id = useId();
  return (
    <div className="flex min-h-12 items-center gap-3 border-b border-line text-sm text-ink-soft">
      <FilesTick id={id} files={files} choice={choice} isForAll={!isFiltered} />
      <label htmlFor={id} className="cursor-pointer py-2">
        {isFiltered ? t`Select all shown` : t`Select all`}
      </label>
      {isFiltered && (
        <span className="tabular ml-auto text-ink-faint">
          <Trans>
            <Plural value={files.length} one="# file" other="# files" /> shown
          </Trans>
        </span>
      )}
    </div>
  );
}

function FolderTick({ folder, choice }: { folder: FolderNode<TransferFile>; choice: FileChoice }) {
  const files = useMemo(() => listTreeFiles(folder), [folder]);
  return <FilesTick label={t`Select everything in ${folder.name}`} files={files} choice={choice} />;
}

type FileGalleryProps = FileActions & { shown: readonly TransferFile[]; choice: FileChoice };

/** Files as tiles that act like the rows of the list. */
function FileGallery({ shown, choice, ...actions }: FileGalleryProps) {
  const { share, isDisabled, onPreview, onDetails } = actions;
  const byId = useMemo(() => new Map(shown.map((file) => [file.id, file])), [shown]);
  const open = (id: string) => {
    const file = byId.get(id)!;
    if (isPreviewable(file)) onPreview(file);
    else onDetails(file);
  };
  return (
    <Gallery
      label={t`Files`}
      items={shown.map((file) => toItem(share.token, file))}
      onOpen={open}
      nameAction={({ id }) => nameFileAction(byId.get(id)!)}
      renderCorner={
        isDisabled ? undefined : ({ id }) => <FileTick file={byId.get(id)!} choice={choice} shown={shown} />
      }
    />
  );
}

function toItem(token: string, file: TransferFile) {
  return {
    id: file.id,
    name: file.originalName,
    mimeType: file.mimeType,
    thumbnailUrl: thumbnailUrlOf(token, file),
    details: formatSize(file.size),
  };
}
