import {
  RECENT_DOWNLOADS,
  type RecentDownload,
  type TransferDetail,
  type TransferFile,
} from '../../../contracts/transfers.ts';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { formatDateTime, nameOfDownload } from './wording.ts';

type DownloadActivityProps = {
  transfer: TransferDetail;
  /** Those loaded so far. */
  files: TransferFile[];
};

/** The most recent downloads (specification section 2): when, what, and from where if that is known. */
export function DownloadActivity({ transfer, files }: DownloadActivityProps) {
  const { downloads, downloadCount } = transfer;
  if (downloads.length === 0) {
    return <p className="border-t border-line pt-4 text-ink-faint">Nobody has downloaded anything yet.</p>;
  }
  return (
    <>
      <ol aria-label="Recent downloads" className="divide-y divide-line border-t border-line">
        {downloads.slice(0, RECENT_DOWNLOADS).map((download) => (
          <li
            key={download.id}
            className="flex justify-between gap-x-6 gap-y-0.5 py-3 max-sm:flex-col sm:items-baseline"
          >
            <span className="min-w-0 truncate">{nameOfDownload(download.fileId, files)}</span>
            <Origin download={download} />
          </li>
        ))}
      </ol>
      {downloadCount > downloads.length && (
        <p className="border-t border-line pt-3 text-sm text-ink-faint">
          The {downloads.length} most recent of {downloadCount.toLocaleString('en')}
        </p>
      )}
    </>
  );
}

function Origin({ download: { downloadedAt, ipAddress } }: { download: RecentDownload }) {
  const ago = useRelativeTime(downloadedAt);
  return (
    <span className="tabular shrink-0 text-sm text-ink-soft">
      {ipAddress && <span className="mr-5 text-ink-faint">{ipAddress}</span>}
      <time dateTime={downloadedAt} title={ago}>
        {formatDateTime(downloadedAt)}
      </time>
    </span>
  );
}
