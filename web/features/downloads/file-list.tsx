import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { fileDownloadPath } from '../../../contracts/links.ts';
import { formatSize } from '../../../contracts/sizes.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { FileRow, FileTree } from '../../components/file-tree.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { buildFileTree } from '../../lib/file-tree.ts';
import { DownloadLink } from './download-link.tsx';
import type { ShareAddress } from './share-address.ts';
import type { Downloads } from './use-downloads.ts';
import { countDownloads } from './view-state.ts';

type FileListProps = {
  share: ShareAddress;
  files: TransferFile[];
  downloads: Downloads;
  isDisabled: boolean;
};

/** Every file in its folder; the whole line downloads it (specification section 2). */
export function FileList({ share, files, downloads, isDisabled }: FileListProps) {
  const tree = useMemo(() => buildFileTree(files.map(toEntry)), [files]);
  return (
    <section>
      <h2 className="border-b border-line-firm pb-3 text-xl">Files</h2>
      <FileTree
        label="Files"
        tree={tree}
        renderFile={({ value: file }) => (
          <DownloadLink
            {...{ share, file, downloads, isDisabled }}
            className="group -mx-3 block rounded-sm px-3 transition-colors duration-(--quick) focus-visible:-outline-offset-2 [a&]:hover:bg-hover"
          >
            <FileRow
              name={file.originalName}
              mimeType={file.mimeType}
              details={`${formatSize(file.size)} · ${countDownloads(file.downloadCount)}`}
              aside={
                !isDisabled && (
                  <span className="grid size-8 shrink-0 place-items-center text-ink-faint group-hover:text-accent-ink group-focus-visible:text-accent-ink">
                    {downloads.isPreparing(fileDownloadPath(share.token, file.id, share.recipientToken)) ? (
                      <Spinner className="size-5" />
                    ) : (
                      <Download aria-hidden="true" strokeWidth={1.75} className="size-5" />
                    )}
                  </span>
                )
              }
            />
          </DownloadLink>
        )}
      />
    </section>
  );
}

function toEntry(file: TransferFile) {
  return { path: file.relativePath || file.originalName, sizeBytes: file.size, value: file };
}
