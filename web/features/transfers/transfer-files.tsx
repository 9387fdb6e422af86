import { useMemo, useState } from 'react';
import { formatSize } from '../../../contracts/sizes.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { FileRow, FileTree } from '../../components/file-tree.tsx';
import { Lightbox } from '../../components/lightbox.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import { buildFileTree, listTreeRows } from '../../lib/file-tree.ts';
import { DamagedFile, DamageNote } from './damaged-file.tsx';
import { listLightboxItems, thumbnailUrlOf } from './file-media.ts';
import { countOf } from './wording.ts';

type TransferFilesProps = { transferId: string; files: TransferFile[] };

/** The files in their folders, each with its own download count; those that can be looked at open. */
export function TransferFiles({ transferId, files }: TransferFilesProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  const tree = useMemo(
    () =>
      buildFileTree(files.map((file) => ({ path: file.relativePath, sizeBytes: file.size, value: file }))),
    [files],
  );
  // Paged through as they stand in the list.
  const shown = useMemo(() => {
    const listed = listTreeRows(tree, () => true);
    const inOrder = listed.flatMap(({ node }) => (node.kind === 'file' ? [node.value] : []));
    return listLightboxItems(transferId, inOrder);
  }, [tree, transferId]);
  const hasPictures = useMemo(() => files.some(({ thumbnail }) => thumbnail), [files]);

  const renderRow = (name: string, file: TransferFile) => (
    <FileRow
      name={name}
      mimeType={file.mimeType}
      details={`${formatSize(file.size)} · ${countOf(file.downloadCount, 'download')}`}
      {...(hasPictures && {
        picture: <Thumbnail src={thumbnailUrlOf(transferId, file)} name={name} mimeType={file.mimeType} />,
      })}
    />
  );
  return (
    <>
      <DamageNote files={files} />
      <FileTree
        label="Files"
        tree={tree}
        className="border-t border-line"
        renderFile={({ name, value: file }) =>
          file.isDamaged ? (
            <DamagedFile transferId={transferId} name={name} file={file} />
          ) : file.preview ? (
            <button
              type="button"
              onClick={() => setOpenId(file.id)}
              className="-mx-3 block w-[calc(100%+1.5rem)] rounded-sm px-3 text-left transition-colors duration-(--quick) hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="sr-only">Preview </span>
              {renderRow(name, file)}
            </button>
          ) : (
            renderRow(name, file)
          )
        }
      />
      <Lightbox items={shown} openId={openId} onOpenChange={setOpenId} />
    </>
  );
}
