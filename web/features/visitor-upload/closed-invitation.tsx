import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Unlink } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { ERRORS } from '../../../contracts/errors.ts';
import { Button } from '../../components/actions/button.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { Headline } from '../../components/layout/headline.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { translateSentence } from '../../lib/language/sentences.ts';

type ClosedInvitationProps = {
  error: Error;
  /** It closed after the page had opened, so the focused element is gone. */
  isSudden: boolean;
  onRetry: () => void;
};

/** There is no such invitation, or no answer from the server. */
export function ClosedInvitation({ error, isSudden, onRetry }: ClosedInvitationProps) {
  usePageTitle(t`Invitation Not Found`);
  useEffect(() => {
    if (!isSudden) return;
    window.scrollTo({ top: 0 });
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [isSudden]);
  const isKnownToBeOver = error instanceof ApiError && error.status < 429;
  return (
    <Stage
      head={
        <div role="alert">
          <Headline title={t`Invitation Not Found`}>
            <p className="mt-6 max-w-[34rem] text-lg text-ink-soft">{explain(error)}</p>
            {isKnownToBeOver ? (
              <p className="mt-3 max-w-[34rem] text-ink-faint">
                <Trans>Check that you copied the whole link, or ask the sender for a new one.</Trans>
              </p>
            ) : (
              <>
                {!(error instanceof ApiError) && (
                  <p className="mt-3 max-w-[34rem] text-ink-faint">
                    <Trans>Sendwell could not be reached.</Trans>
                  </p>
                )}
                <Button variant="secondary" className="mt-8" onClick={onRetry}>
                  <Trans>Try again</Trans>
                </Button>
              </>
            )}
          </Headline>
        </div>
      }
      well={
        <StillWell>
          <Unlink aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
    />
  );
}

/** The server's sentence if it is about the invitation. */
function explain(error: Error): string {
  const isAboutAddress =
    error instanceof ApiError && (error.code === 'not_found' || error.code === 'invalid_input');
  return error instanceof ApiError && !isAboutAddress
    ? error.detail
    : translateSentence(ERRORS.invitation_not_found.message);
}
