import { useMemo } from 'react';
import { formatSize } from '../../../contracts/sizes.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { FileRow, FileTree } from '../../components/file-tree.tsx';
import { buildFileTree } from '../../lib/file-tree.ts';
import { countOf } from './wording.ts';

/** The files in their folders, each with its own download count. */
export function TransferFiles({ files }: { files: TransferFile[] }) {
  const tree = useMemo(
    () =>
      buildFileTree(files.map((file) => ({ path: file.relativePath, sizeBytes: file.size, value: file }))),
    [files],
  );
  return (
    <FileTree
      label="Files"
      tree={tree}
      className="border-t border-line"
      renderFile={({ name, value: file }) => (
        <FileRow
          name={name}
          mimeType={file.mimeType}
          details={`${formatSize(file.size)} · ${countOf(file.downloadCount, 'download')}`}
        />
      )}
    />
  );
}
