import { Download } from 'lucide-react';
import { formatSize } from '../../../contracts/sizes.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { FileIcon } from '../../components/file-icon.tsx';
import { DownloadLink } from './download-link.tsx';
import type { ShareAddress } from './share-address.ts';
import type { Downloads } from './use-downloads.ts';
import { countDownloads } from './view-state.ts';

type SingleFileProps = { share: ShareAddress; file: TransferFile; downloads: Downloads; isDisabled: boolean };

/** A transfer's only file gets the room that a list would have. */
export function SingleFile({ share, file, downloads, isDisabled }: SingleFileProps) {
  return (
    <section>
      <h2 className="sr-only">File</h2>
      <DownloadLink
        {...{ share, file, downloads, isDisabled }}
        className="group flex items-center gap-5 rounded-xl border border-line-firm bg-surface p-5 transition-colors duration-(--quick) sm:gap-7 sm:p-8 [a&]:hover:border-edge [a&]:hover:bg-raised"
      >
        <span className="grid size-16 shrink-0 place-items-center rounded-full bg-accent-wash sm:size-24 [&_svg]:size-8 [&_svg]:text-accent-ink sm:[&_svg]:size-11">
          <FileIcon fileName={file.originalName} mimeType={file.mimeType} />
        </span>
        <span className="min-w-0 grow">
          <span className="block font-heading text-xl wrap-anywhere sm:text-2xl">{file.originalName}</span>
          <span className="tabular mt-1.5 block text-ink-soft">
            {formatSize(file.size)} · {countDownloads(file.downloadCount)}
          </span>
        </span>
        {!isDisabled && (
          <Download
            aria-hidden="true"
            strokeWidth={1.75}
            className="size-6 shrink-0 text-ink-faint group-hover:text-accent-ink max-sm:hidden"
          />
        )}
      </DownloadLink>
    </section>
  );
}
