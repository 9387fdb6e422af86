import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useMemo, useState } from 'react';
import { addressOf } from '../../../../contracts/endpoint.ts';
import {
  countOwnPdfPages,
  previewOwnFile,
  showOwnThumbnail,
} from '../../../../contracts/transfers/downloads/previews.ts';
import type { TransferDetail, TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { FileRow, FileTree } from '../../../components/data/file-tree.tsx';
import { FilesSkeleton } from '../../../components/feedback/files-loading.tsx';
import { Lightbox, type LightboxItem } from '../../../components/media/lightbox.tsx';
import { Thumbnail } from '../../../components/media/thumbnail.tsx';
import { buildFileTreeInSteps, listTreeFiles } from '../../../lib/values/file-tree.ts';
import { useSliced } from '../../../lib/values/use-sliced.ts';
import { DamagedEncryptedFile, DamagedFile, DamageNote } from './damaged-file.tsx';

type TransferFilesProps = {
  transfer: Pick<TransferDetail, 'id' | 'encryption'>;
  files: TransferFile[];
  /** All files; `files` may still be loading. */
  fileCount: number;
};

/** The files in their folders with their download counts. Files with a preview open in the lightbox. */
export function TransferFiles({ transfer, files, fileCount }: TransferFilesProps) {
  const { id: transferId, encryption } = transfer;
  const [openId, setOpenId] = useState<string | null>(null);
  const work = useCallback(() => arrange(transferId, files), [transferId, files]);
  const arranged = useSliced(work, { isLong: files.length > ARRANGED_AT_ONCE });
  const hasPictures = useMemo(() => files.some(({ thumbnail }) => thumbnail), [files]);

  const renderRow = (name: string, file: TransferFile) => (
    <FileRow
      name={name}
      mimeType={file.mimeType}
      details={`${formatSize(file.size)} · ${plural(file.downloadCount, { one: '# download', other: '# downloads' })}`}
      {...(hasPictures && {
        picture: <Thumbnail src={thumbnailUrlOf(transferId, file)} name={name} mimeType={file.mimeType} />,
      })}
    />
  );
  if (!arranged) return <FilesSkeleton />;
  return (
    <>
      <DamageNote transfer={transfer} files={files} />
      <FileTree
        label={t`Files`}
        tree={arranged.tree}
        fileCount={fileCount}
        className="border-t border-line"
        renderFile={({ name, value: file }) =>
          file.isDamaged && encryption ? (
            <DamagedEncryptedFile name={name} file={file} />
          ) : file.isDamaged ? (
            <DamagedFile transferId={transferId} name={name} file={file} />
          ) : file.preview ? (
            <button
              type="button"
              onClick={() => setOpenId(file.id)}
              className="-mx-3 block w-[calc(100%+1.5rem)] rounded-sm px-3 text-left transition-colors duration-(--quick) hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="sr-only">
                <Trans>Preview</Trans>{' '}
              </span>
              {renderRow(name, file)}
            </button>
          ) : (
            renderRow(name, file)
          )
        }
      />
      <Lightbox items={arranged.shown} openId={openId} onOpenChange={setOpenId} />
    </>
  );
}

/** Longer lists are built in slices, so that the page stays responsive. */
const ARRANGED_AT_ONCE = 2_000;

/** The file tree, and the files with a preview in the tree's order. */
function* arrange(transferId: string, files: TransferFile[]) {
  const tree = yield* buildFileTreeInSteps(
    files.map((file) => ({ path: file.relativePath, sizeBytes: file.size, value: file, key: file.id })),
  );
  return { tree, shown: listLightboxItems(transferId, listTreeFiles(tree)) };
}

function thumbnailUrlOf(transferId: string, file: TransferFile): string | undefined {
  if (!file.thumbnail) return undefined;
  return addressOf(showOwnThumbnail.path, { id: transferId, fileId: file.id });
}

function listLightboxItems(transferId: string, files: TransferFile[]): LightboxItem[] {
  return files.flatMap((file) => {
    if (!file.preview) return [];
    return {
      id: file.id,
      name: file.originalName,
      kind: file.preview,
      previewUrl: addressOf(previewOwnFile.path, { id: transferId, fileId: file.id }),
      pagesUrl: addressOf(countOwnPdfPages.path, { id: transferId, fileId: file.id }),
      thumbnailUrl: thumbnailUrlOf(transferId, file),
      sizeBytes: file.size,
    };
  });
}
