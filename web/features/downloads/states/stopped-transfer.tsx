import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CirclePause } from 'lucide-react';
import { ClosedTransfer } from './closed-transfer.tsx';
import { useRefreshWhile } from './use-refresh-while.ts';

const PAUSE_MS = 30_000;

/** The link was shared early, and nothing has arrived for two days. */
export function StoppedTransfer({ onRefresh }: { onRefresh: () => Promise<unknown> }) {
  useRefreshWhile(true, onRefresh, PAUSE_MS);
  return (
    <ClosedTransfer
      title={t`Upload stopped`}
      text={t`The sender has not finished uploading these files. The link works again when they go on.`}
      sign={<CirclePause aria-hidden="true" strokeWidth={1.25} />}
    >
      <p className="mt-3 max-w-[34rem] text-ink-faint">
        <Trans>Let the sender know, or keep this page open: the files appear by themselves.</Trans>
      </p>
    </ClosedTransfer>
  );
}
