import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Check, CircleAlert, Trash2, X } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { formatSize, MIB } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/actions/button.tsx';
import { IconButton } from '../../components/actions/icon-button.tsx';
import { FileIcon } from '../../components/data/file-icon.tsx';
import { FileTree } from '../../components/data/file-tree.tsx';
import { ProgressBar } from '../../components/feedback/progress-bar.tsx';
import { buildFileTree, type FolderNode } from '../../lib/values/file-tree.ts';
import type { EngineState } from '../engine/engine-state.ts';
import { sentBytes, type UploadItem } from '../engine/upload-item.ts';
import { describeItem } from '../upload-words.ts';

type FileListProps = {
  state: EngineState;
  onRemove: (items: UploadItem[]) => void;
};

/** The selected files in their folders, with their progress. */
export function FileList({ state, onRemove }: FileListProps) {
  const { items, totalBytes, phase } = state;
  const heading = useRef<HTMLHeadingElement>(null);
  const tree = useMemo(
    () =>
      buildFileTree(items.map((item) => ({ path: item.relativePath, sizeBytes: item.size, value: item }))),
    [items],
  );
  // Files of a transfer that is being completed can't be removed.
  const isFixed = phase === 'completing' || phase === 'success';
  const remove = (removed: UploadItem[]) => {
    onRemove(removed);
    // The pressed button may be gone with its row: keep the focus in the list.
    requestAnimationFrame(() => document.activeElement === document.body && heading.current?.focus());
  };
  const removeAction = isFixed ? undefined : remove;
  return (
    <section aria-labelledby="selected-files">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line pb-2">
        <h2 id="selected-files" ref={heading} tabIndex={-1} className="text-xl outline-none">
          <Trans>Selected files</Trans>
        </h2>
        <div className="flex items-center gap-2">
          <p className="tabular text-sm text-ink-soft" data-testid="total-size">
            <Trans>
              <Plural value={items.length} one="# file" other="# files" />, {formatSize(totalBytes)} in total
            </Trans>
          </p>
          {(phase === 'idle' || phase === 'failed') && items.length > 1 && (
            <Button variant="ghost" size="sm" onClick={() => remove([...items])}>
              <Trans>Remove all</Trans>
            </Button>
          )}
        </div>
      </div>
      <FileTree
        label={t`Selected files`}
        tree={tree}
        // Long lists scroll by themselves, so that the settings stay near on phones.
        className="max-h-[min(36.5rem,65vh)] overflow-y-auto border-b border-line"
        renderFile={({ value }) => (
          <UploadRow
            item={value}
            words={describeItem(value)}
            share={value.size === 0 ? 0 : sentBytes(value) / value.size}
            phase={value.phase}
            onRemove={value.phase === 'done' ? undefined : removeAction}
          />
        )}
        renderFolderActions={(folder) =>
          removeAction && (
            <IconButton
              label={t`Remove folder ${folder.name}`}
              icon={<Trash2 />}
              size="sm"
              tooltip="none"
              onClick={() => removeAction(listItems(folder))}
            />
          )
        }
      />
    </section>
  );
}

type UploadRowProps = {
  item: UploadItem;
  words: string;
  /** 0 to 1. */
  share: number;
  phase: UploadItem['phase'];
  onRemove: ((items: UploadItem[]) => void) | undefined;
};

const UploadRow = memo(function UploadRow({ item, words, share, phase, onRemove }: UploadRowProps) {
  const hasFailed = phase === 'failed';
  const isThrough = phase === 'sent' || phase === 'done';
  return (
    <div className="relative flex min-h-14 items-center gap-3 py-2" data-testid="file-row">
      <FilePreview item={item} />
      <div className="min-w-0 grow">
        <p className="truncate" title={item.relativePath}>
          {item.name}
        </p>
        <p
          className={`tabular flex items-center gap-1.5 text-sm ${hasFailed ? 'text-danger-ink' : 'text-ink-faint'}`}
        >
          {hasFailed && <CircleAlert aria-hidden="true" className="size-4 shrink-0" />}
          {isThrough && <Check aria-hidden="true" className="size-4 shrink-0 text-accent-ink" />}
          {words}
        </p>
      </div>
      {onRemove && (
        <IconButton
          label={t`Remove ${item.name}`}
          icon={<X />}
          size="sm"
          tooltip="none"
          onClick={() => onRemove([item])}
        />
      )}
      {share > 0 && !isThrough && (
        <div className="absolute inset-x-0 -bottom-px">
          <ProgressBar
            label={t`Progress of ${item.name}`}
            value={share}
            valueText={words}
            size="sm"
            state={hasFailed ? 'failed' : 'running'}
          />
        </div>
      )}
    </div>
  );
});

function listItems(folder: FolderNode<UploadItem>): UploadItem[] {
  return folder.children.flatMap((node) => (node.kind === 'file' ? [node.value] : listItems(node)));
}

/** Larger pictures take too long to decode. */
const LARGEST_PREVIEW_BYTES = 40 * MIB;

/** A thumbnail of a picture, or an icon for other files. */
function FilePreview({ item: { file, name, mimeType } }: { item: UploadItem }) {
  const [address, setAddress] = useState<string>();
  const picture = file?.type.startsWith('image/') && file.size <= LARGEST_PREVIEW_BYTES ? file : undefined;
  useEffect(() => {
    if (!picture) return;
    const url = URL.createObjectURL(picture);
    setAddress(url);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(url);
    };
  }, [picture]);
  return (
    <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-press">
      {address ? (
        <img
          src={address}
          alt=""
          decoding="async"
          className="size-full object-cover"
          onError={() => setAddress(undefined)}
        />
      ) : (
        <FileIcon fileName={name} mimeType={file?.type ?? mimeType} className="size-5" />
      )}
    </span>
  );
}
