import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { errorDetail } from '../../../../client/api-error.ts';
import type { TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { listVersions, type TransferVersion } from '../../../../contracts/transfers/versions.ts';
import { versionDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { Button } from '../../../components/actions/button.tsx';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useIsLinkOpen } from '../use-is-link-open.ts';

/** All versions of a transfer that was updated. */
export function Versions({ transfer }: { transfer: TransferDetail }) {
  const { id, version } = transfer;
  const { queryKey, queryFn } = queryOf(listVersions, { params: { id } });
  // Each update has another list.
  const { data, error, refetch } = useQuery({ queryKey: [...queryKey, version], queryFn });
  const isOpen = useIsLinkOpen(transfer);
  if (error && !data)
    return (
      <p className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-4 text-ink-soft">
        {errorDetail(error)}
        <Button variant="secondary" size="sm" onClick={() => refetch()}>
          <Trans>Try again</Trans>
        </Button>
      </p>
    );
  if (!data) return <Spinner className="size-5 text-ink-soft" />;
  return (
    <ol
      aria-label={t`Versions`}
      className="max-h-96 divide-y divide-line overflow-y-auto border-t border-line"
    >
      {data.map((each) => (
        <Version
          key={each.version}
          version={each}
          isCurrent={each.version === version}
          path={isOpen ? versionDownloadPath(transfer.token, each.version) : undefined}
        />
      ))}
    </ol>
  );
}

type VersionProps = { version: TransferVersion; isCurrent: boolean; path: string | undefined };

function Version({ version: { version, startedAt, fileCount, totalSize }, isCurrent, path }: VersionProps) {
  return (
    <li className="flex items-center justify-between gap-4 py-3">
      <span className="min-w-0">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <Trans>Version {version}</Trans>
          {isCurrent && (
            <span className="text-sm text-ink-faint">
              <Trans>current</Trans>
            </span>
          )}
        </span>
        <span className="tabular block text-sm text-ink-faint">
          <time dateTime={startedAt}>{formatDateTime(startedAt)}</time> ·{' '}
          {plural(fileCount, { one: '# file', other: '# files' })} · {formatSize(totalSize)}
        </span>
      </span>
      {path !== undefined && (
        <a
          href={path}
          download=""
          aria-label={t`Download version ${version}`}
          className={buttonClasses('secondary', 'sm')}
        >
          <Download aria-hidden="true" />
          <Trans>Download</Trans>
        </a>
      )}
    </li>
  );
}
