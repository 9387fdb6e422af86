import { Download } from 'lucide-react';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/links.ts';
import { buttonClasses } from '../../components/button-style.ts';
import { useIsPast } from '../../lib/use-is-past.ts';

/** What came in is there to be taken; where the owner has closed the link since, its page asks for what is needed. */
export function DownloadReceived({ transfer }: { transfer: TransferDetail }) {
  const { token, files, isPasswordProtected, scheduledAvailableAt } = transfer;
  const isOpen = useIsPast(scheduledAvailableAt) || scheduledAvailableAt === null;
  const [single] = files;
  if (!single || isPasswordProtected || !isOpen) return null;
  return (
    <a
      href={files.length === 1 ? fileDownloadPath(token, single.id) : zipDownloadPath(token)}
      download
      className={buttonClasses('primary', 'sm')}
    >
      <Download />
      {files.length === 1 ? 'Download' : 'Download All Files'}
    </a>
  );
}
