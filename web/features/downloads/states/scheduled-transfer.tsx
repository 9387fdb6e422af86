import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CalendarClock } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import { Badge } from '../../../components/feedback/badge.tsx';
import { StillWell } from '../../../components/feedback/well.tsx';
import { Headline } from '../../../components/layout/headline.tsx';
import { Stage } from '../../../components/layout/stage.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { formatCountdown } from '../../../lib/time/countdown.ts';
import { formatLongDateTime } from '../../../lib/time/format-dates.ts';
import { describeContent } from './view-state.ts';

type ScheduledTransferProps = { view: DownloadView; availableAt: string; onAvailable: () => void };

/** Shows when downloads start, and nothing of the content. */
export function ScheduledTransfer({ view, availableAt, onAvailable }: ScheduledTransferProps) {
  usePageTitle(nameTransfer(view));
  const { days, clock } = formatCountdown(useCountdown(availableAt, onAvailable));
  return (
    <Stage
      head={
        <>
          <Badge icon={<CalendarClock aria-hidden="true" />} className="mb-5">
            <Trans>Not available yet</Trans>
          </Badge>
          <Headline title={nameTransfer(view)}>
            <p className="tabular mt-5 text-xl [word-spacing:0.12em] text-ink-soft">
              {describeContent(view)}
            </p>
            <p className="mt-8 max-w-[34rem] text-lg">
              <Trans>
                You can download from{' '}
                <time dateTime={availableAt} className="font-semibold">
                  {formatLongDateTime(availableAt)}
                </time>
                .
              </Trans>
            </p>
            <p className="mt-2 max-w-[34rem] text-ink-faint">
              <Trans>
                The sender chose this time. Keep this page open, and the files appear automatically.
              </Trans>
            </p>
          </Headline>
        </>
      }
      well={
        <StillWell className="max-lg:size-40">
          <div role="timer" aria-label={t`Time until the download opens`} className="text-center text-ink">
            {days && <p className="text-sm text-ink-soft">{days}</p>}
            <p className="tabular font-heading text-2xl lg:text-3xl">{clock}</p>
          </div>
        </StillWell>
      }
    />
  );
}

/** Poll interval if this device's clock is ahead of the server's. */
const ASK_AGAIN_MS = 3000;

/** Milliseconds until an instant, updated every second. Calls `onEnd` at the end until the page changes. */
function useCountdown(instant: string, onEnd: () => void): number {
  const target = Date.parse(instant);
  const [now, setNow] = useState(Date.now);
  const isOver = now >= target;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (!isOver) return;
    onEnd();
    const timer = setInterval(onEnd, ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOver, onEnd]);
  return target - now;
}
