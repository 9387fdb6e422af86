import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Hourglass, ShieldBan, ShieldEllipsis, Unlink } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, errorDetail } from '../../../../client/api-error.ts';
import { errorMessage } from '../../../../contracts/errors.ts';
import { Button } from '../../../components/actions/button.tsx';
import { StillWell } from '../../../components/feedback/well.tsx';
import { Headline } from '../../../components/layout/headline.tsx';
import { Stage } from '../../../components/layout/stage.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';
import { AskToReopen } from './ask-to-reopen.tsx';
import { useRefreshWhile } from './use-refresh-while.ts';

type ExpiredTransferProps = { token: string; canBeReopened: boolean };

export function ExpiredTransfer({ token, canBeReopened }: ExpiredTransferProps) {
  return (
    <ClosedTransfer
      title={t`Transfer Expired`}
      text={translateSentence(errorMessage('transfer_expired'))}
      sign={<Hourglass aria-hidden="true" strokeWidth={1.25} />}
    >
      {canBeReopened ? (
        <AskToReopen token={token} />
      ) : (
        <p className="mt-3 max-w-[34rem] text-ink-faint">
          <Trans>Ask the sender to share the files again.</Trans>
        </p>
      )}
    </ClosedTransfer>
  );
}

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

type MissingTransferProps = { error: Error; onRetry: () => void };

/** Unknown transfer, or an unreachable server, which can be retried. */
export function MissingTransfer({ error, onRetry }: MissingTransferProps) {
  const isUnknown = error instanceof ApiError && error.status < 429;
  return (
    <ClosedTransfer
      title={t`Transfer Not Found`}
      text={t`This transfer may have expired or been deleted.`}
      sign={<Unlink aria-hidden="true" strokeWidth={1.25} />}
    >
      {isUnknown ? (
        <p className="mt-3 max-w-[34rem] text-ink-faint">
          <Trans>Check that you copied the whole link, or ask the sender for a new one.</Trans>
        </p>
      ) : (
        <>
          <p className="mt-3 max-w-[34rem] text-ink-faint">
            {error instanceof ApiError ? errorDetail(error) : t`Sendwell could not be reached.`}
          </p>
          <Button variant="secondary" className="mt-8" onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
        </>
      )}
    </ClosedTransfer>
  );
}

type ClosedTransferProps = { title: string; text: string; sign: ReactNode; children?: ReactNode };

function ClosedTransfer({ title, text, sign, children }: ClosedTransferProps) {
  usePageTitle(title);
  return (
    <Stage
      head={
        <Headline title={title}>
          <p className="mt-6 max-w-[34rem] text-lg text-ink-soft">{text}</p>
          {children}
        </Headline>
      }
      well={<StillWell>{sign}</StillWell>}
    />
  );
}
