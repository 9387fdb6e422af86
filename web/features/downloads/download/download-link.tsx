import type { MouseEvent, ReactNode } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import type { ShareAddress } from '../share-address.ts';
import type { Downloads } from './use-downloads.ts';

type DownloadLinkProps = {
  share: ShareAddress;
  file: TransferFile;
  downloads: Downloads;
  className: string;
  children: ReactNode;
  'aria-describedby'?: string;
};

/** A real link, so that "save as" and "copy link" work. A plain click checks first whether the download is possible. */
export function DownloadLink({
  share,
  file,
  downloads,
  className,
  children,
  'aria-describedby': describedBy,
}: DownloadLinkProps) {
  const path = fileDownloadPath(share.token, file.id, share.recipientToken);
  const handleClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void downloads.start({ path, isZip: false });
  };
  return (
    <a
      className={className}
      aria-describedby={describedBy}
      href={path}
      download=""
      aria-busy={downloads.isPreparing(path) || undefined}
      onClick={handleClick}
    >
      {children}
    </a>
  );
}
