import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { listDownloadVersions, type TransferVersion } from '../../../../contracts/transfers/versions.ts';
import { versionDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { Button } from '../../../components/actions/button.tsx';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import type { ShareAddress } from '../share-address.ts';
import type { Downloads } from './use-downloads.ts';

type EarlierVersionsProps = {
  share: ShareAddress;
  /** The current one, which is not listed. */
  version: number;
  downloads: Downloads;
};

/** What the transfer contained before it was updated. */
export function EarlierVersions({ share, version, downloads }: EarlierVersionsProps) {
  const { versions, hasFailed, retry } = useVersions(share.token, version);
  if (hasFailed)
    return (
      <p className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Trans>The earlier versions couldn’t be loaded.</Trans>
        <Button variant="secondary" size="sm" onClick={retry}>
          <Trans>Try again</Trans>
        </Button>
      </p>
    );
  if (!versions) return <Spinner className="size-4" />;
  return (
    <ol aria-label={t`Earlier versions`} className="divide-y divide-line border-y border-line">
      {versions
        .filter((each) => each.version < version)
        .map((each) => (
          <EarlierVersion key={each.version} share={share} version={each} downloads={downloads} />
        ))}
    </ol>
  );
}

type EarlierVersionProps = Omit<EarlierVersionsProps, 'version'> & { version: TransferVersion };

function EarlierVersion({ share, version, downloads }: EarlierVersionProps) {
  const { startedAt, fileCount, totalSize } = version;
  const path = versionDownloadPath(share.token, version.version, share.recipientToken);
  const date = formatDateTime(startedAt);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <span className="tabular">
        <time dateTime={startedAt} className="block text-ink-soft">
          {date}
        </time>
        {plural(fileCount, { one: '# file', other: '# files' })} · {formatSize(totalSize)}
      </span>
      <a
        href={path}
        download=""
        aria-label={t`Download the version of ${date}`}
        aria-busy={downloads.isPreparing(path) || undefined}
        className={buttonClasses('secondary', 'sm')}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          void downloads.start({ path, isZip: true });
        }}
      >
        <Download aria-hidden="true" />
        <Trans>Download</Trans>
      </a>
    </li>
  );
}

/** Loaded again after an update. */
function useVersions(token: string, version: number) {
  const [versions, setVersions] = useState<TransferVersion[]>();
  const [hasFailed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again after an update and a retry
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    setFailed(false);
    call(listDownloadVersions, { params: { token }, signal }).then(setVersions, () => {
      if (!signal.aborted) setFailed(true);
    });
    return () => stop.abort();
  }, [token, version, round]);
  return { versions, hasFailed, retry: () => setRound(round + 1) };
}
