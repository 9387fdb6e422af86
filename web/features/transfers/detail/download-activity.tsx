import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail } from 'lucide-react';
import {
  RECENT_DOWNLOADS,
  type RecentDownload,
  type TransferDetail,
  type TransferFile,
} from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { nameOfCountry } from '../../../lib/values/country-names.ts';
import { describeDevice } from '../../../lib/values/describe-device.ts';
import { nameOfDownload } from '../wording.ts';

type DownloadActivityProps = {
  transfer: TransferDetail;
  /** Files loaded so far. */
  files: TransferFile[];
};

export function DownloadActivity({ transfer, files }: DownloadActivityProps) {
  const { downloads, downloadCount, fileCount } = transfer;
  if (downloads.length === 0) {
    return (
      <p className="border-t border-line pt-4 text-ink-faint">
        <Trans>Nobody has downloaded anything yet.</Trans>
      </p>
    );
  }
  return (
    <>
      <ol aria-label={t`Recent downloads`} className="divide-y divide-line border-t border-line">
        {downloads.slice(0, RECENT_DOWNLOADS).map((download) => (
          <li
            key={download.id}
            className="flex justify-between gap-x-6 gap-y-0.5 py-3 max-sm:flex-col sm:items-baseline"
          >
            <span className="min-w-0">
              <span className="block truncate">{nameOfDownload(download, { files, fileCount })}</span>
              {download.recipientEmail && <Recipient email={download.recipientEmail} />}
              <Origin download={download} />
            </span>
            <Moment at={download.downloadedAt} />
          </li>
        ))}
      </ol>
      {downloadCount > downloads.length && (
        <p className="border-t border-line pt-3 text-sm text-ink-faint">
          <Trans>
            The {downloads.length} most recent of {formatCount(downloadCount)}
          </Trans>
        </p>
      )}
    </>
  );
}

/** The recipient whose personal link was used. */
function Recipient({ email }: { email: string }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-sm text-ink-soft">
      <Mail aria-hidden="true" className="size-4 shrink-0 text-ink-faint" strokeWidth={1.75} />
      <span className="sr-only">
        <Trans>With the personal link of</Trans>{' '}
      </span>
      <span className="truncate">{email}</span>
    </span>
  );
}

/** Device, country and address, as far as they are known. */
function Origin({ download: { userAgent, country, ipAddress } }: { download: RecentDownload }) {
  const parts = [
    userAgent && describeDevice(userAgent).name,
    country && nameOfCountry(country),
    ipAddress,
  ].filter((part) => part !== null && part !== '');
  if (parts.length === 0) return null;
  return (
    <span className="tabular mt-0.5 flex flex-wrap gap-x-4 text-sm text-ink-faint">
      {parts.map((part) => (
        <span key={part} className="wrap-anywhere">
          {part}
        </span>
      ))}
    </span>
  );
}

function Moment({ at }: { at: string }) {
  const ago = useRelativeTime(at);
  return (
    <time dateTime={at} title={ago} className="tabular shrink-0 text-sm text-ink-soft">
      {formatDateTime(at)}
    </time>
  );
}
