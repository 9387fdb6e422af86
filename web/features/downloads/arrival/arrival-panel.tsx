import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Clock, X } from 'lucide-react';
import type { ArrivalProgress } from '../../../../contracts/transfers/arrival.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { formatDuration } from '../../../uploading/upload-words.ts';
import { ArrivalNotice } from './arrival-notice.tsx';
import type { Arrival } from './use-arrival.ts';

type ArrivalPanelProps = Pick<Arrival, 'progress' | 'isWaiting' | 'setWaiting'> & {
  token: string;
  /** Downloading is no longer possible. */
  isDisabled: boolean;
  /** Whether visitors can ask for an email. */
  offersNotice: boolean;
  refresh: () => Promise<unknown>;
};

/** How much of a transfer has arrived, and the choice to wait for all of it. */
export function ArrivalPanel({
  token,
  progress,
  isWaiting,
  setWaiting,
  isDisabled,
  offersNotice,
  refresh,
}: ArrivalPanelProps) {
  const { receivedBytes, totalBytes, bytesPerSecond, startsEarly } = progress;
  const isStalled = bytesPerSecond === 0;
  const amount = t`${formatSize(receivedBytes)} of ${formatSize(totalBytes)}`;
  return (
    <Surface as="section" padding="none" aria-labelledby="arrival" className="flex flex-col gap-3 p-4 sm:p-5">
      <h2 id="arrival" className="text-base">
        <Trans>These files are still arriving</Trans>
      </h2>
      <ProgressBar
        label={t`Arrived so far`}
        value={totalBytes === 0 ? 1 : receivedBytes / totalBytes}
        valueText={amount}
        state={isStalled ? 'stopped' : 'running'}
      />
      <p className="tabular flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-soft">
        <span>{amount}</span>
        <span>{describeFiles(progress)}</span>
        <span>{describeTime(progress)}</span>
      </p>
      {!isDisabled && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p role="status" className="min-w-48 grow basis-0 text-sm text-ink-soft">
            {isWaiting
              ? t`The download starts by itself when everything is here. Keep this page open.`
              : startsEarly
                ? t`Start now, and the download follows the upload. If it breaks off, your browser resumes it.`
                : t`On this server, files can be downloaded one by one as they arrive.`}
          </p>
          <div className="flex flex-wrap items-center gap-2">
            {isWaiting ? (
              <Button variant="ghost" size="sm" icon={<X />} onClick={() => setWaiting(false)}>
                <Trans>Don’t wait</Trans>
              </Button>
            ) : (
              <Button variant="secondary" size="sm" icon={<Clock />} onClick={() => setWaiting(true)}>
                <Trans>Download when it’s all here</Trans>
              </Button>
            )}
            {offersNotice && <ArrivalNotice token={token} onArrived={refresh} />}
          </div>
        </div>
      )}
    </Surface>
  );
}

function describeFiles({ arrivedFiles, fileCount }: ArrivalProgress): string {
  return plural(fileCount, {
    one: `${arrivedFiles} of # file complete`,
    other: `${arrivedFiles} of # files complete`,
  });
}

function describeTime({ bytesPerSecond, secondsLeft }: ArrivalProgress): string {
  if (bytesPerSecond === 0) return t`Waiting for the sender…`;
  return secondsLeft === null ? '' : t`All here in about ${formatDuration(secondsLeft)}`;
}
