import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldBan, ShieldEllipsis } from 'lucide-react';
import { errorMessage } from '../../../../contracts/errors.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';
import { ClosedTransfer } from './closed-transfer.tsx';
import { useRefreshWhile } from './use-refresh-while.ts';

/** Closed by an administrator. */
export function TakenDownTransfer() {
  return (
    <ClosedTransfer
      title={t`Transfer Taken Down`}
      text={translateSentence(errorMessage('transfer_taken_down'))}
      sign={<ShieldBan aria-hidden="true" strokeWidth={1.25} />}
    />
  );
}

/** Blocked by the virus scanner or an administrator. */
export function BlockedTransfer() {
  return (
    <ClosedTransfer
      title={t`Transfer Blocked`}
      text={translateSentence(errorMessage('transfer_blocked'))}
      sign={<ShieldBan aria-hidden="true" strokeWidth={1.25} />}
    />
  );
}

/** Refetches until the scan is done. */
export function CheckingTransfer({ onRefresh }: { onRefresh: () => Promise<unknown> }) {
  useRefreshWhile(true, onRefresh);
  return (
    <ClosedTransfer
      title={t`Checking files`}
      text={t`This transfer is being checked for malware before you can download it.`}
      sign={<ShieldEllipsis aria-hidden="true" strokeWidth={1.25} />}
    >
      <p role="status" className="mt-3 max-w-[34rem] text-ink-faint">
        <Trans>
          This usually takes less than a minute, unless someone has to review a file. Keep this page open, and
          the files appear automatically.
        </Trans>
      </p>
    </ClosedTransfer>
  );
}
