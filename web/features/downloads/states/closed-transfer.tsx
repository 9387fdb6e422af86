import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Hourglass, Unlink } from 'lucide-react';
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

export function ClosedTransfer({ title, text, sign, children }: ClosedTransferProps) {
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
