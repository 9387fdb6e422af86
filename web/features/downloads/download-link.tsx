import type { MouseEvent, ReactNode } from 'react';
import { fileDownloadPath } from '../../../contracts/links.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import type { ShareAddress } from './share-address.ts';
import type { Downloads } from './use-downloads.ts';

type DownloadLinkProps = {
  share: ShareAddress;
  file: TransferFile;
  downloads: Downloads;
  /** Nothing can be downloaded any more: what it shows is no link then. */
  isDisabled: boolean;
  className: string;
  children: ReactNode;
};

/** A file as a real link, so that "save as" and "copy link" work; a plain click is checked before it starts. */
export function DownloadLink({ share, file, downloads, isDisabled, className, children }: DownloadLinkProps) {
  if (isDisabled) return <div className={className}>{children}</div>;
  const path = fileDownloadPath(share.token, file.id, share.recipientToken);
  const handleClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void downloads.start({ path, isZip: false });
  };
  return (
    <a
      href={path}
      download=""
      className={className}
      aria-busy={downloads.isPreparing(path) || undefined}
      onClick={handleClick}
    >
      <span className="sr-only">Download </span>
      {children}
    </a>
  );
}
