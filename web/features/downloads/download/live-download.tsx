import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowDown } from 'lucide-react';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { LeaveGuard } from '../../../components/layout/leave-guard.tsx';
import type { DownloadTarget } from './use-downloads.ts';
import type { LiveDownload as Running } from './use-live-download.ts';

type LiveDownloadProps = Running & {
  /** Undefined: no new downloads. */
  target: DownloadTarget | undefined;
  fileName: string;
};

/** Writes the file from the page, to show progress and to resume. */
export function LiveDownload({ target, fileName, progress, start, cancel }: LiveDownloadProps) {
  return (
    <>
      {progress ? (
        <Progress progress={progress} onCancel={cancel} />
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button
            variant="secondary"
            size="sm"
            icon={<ArrowDown aria-hidden="true" />}
            onClick={() => target && void start(target, fileName)}
          >
            <Trans>Choose a location and start</Trans>
          </Button>
          <p>
            <Trans>Resumes automatically after a lost connection while this page is open.</Trans>
          </p>
        </div>
      )}
      <LeaveGuard
        isActive={progress !== undefined}
        title={t`Stop the download?`}
        description={t`This page is saving the file. If you leave, the download has to start over.`}
        confirmLabel={t`Stop and leave`}
      />
    </>
  );
}

type ProgressProps = { progress: NonNullable<Running['progress']>; onCancel: () => void };

function Progress({ progress, onCancel }: ProgressProps) {
  const { receivedBytes, totalBytes, isWaiting } = progress;
  const words = t`${formatSize(receivedBytes)} of ${formatSize(totalBytes)}`;
  return (
    <div className="flex items-center gap-4">
      <div className="min-w-0 grow">
        <ProgressBar
          label={t`Downloading`}
          value={totalBytes > 0 ? receivedBytes / totalBytes : null}
          valueText={words}
          state={isWaiting ? 'stopped' : 'running'}
        />
        <p className="tabular mt-2 text-ink-soft">
          {totalBytes > 0 && words}
          {isWaiting && (
            <span role="status">
              {' '}
              · <Trans>Connection lost. The download continues when it is back.</Trans>
            </span>
          )}
        </p>
      </div>
      <Button variant="secondary" size="sm" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </Button>
    </div>
  );
}
