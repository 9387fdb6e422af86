import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, errorDetail, refusalText } from '../../../../client/api-error.ts';
import { verifyDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { call } from '../../../api/call.ts';
import { Button } from '../../../components/actions/button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { StillWell } from '../../../components/feedback/well.tsx';
import { ToldError } from '../../../components/form/field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Headline } from '../../../components/layout/headline.tsx';
import { Stage } from '../../../components/layout/stage.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { recipientQuery, type ShareAddress } from '../share-address.ts';

type LockedTransferProps = {
  share: ShareAddress;
  /** Resolves when the refetched transfer is shown. */
  onRefresh: () => Promise<unknown>;
};

const WRONG = t`Please check your password and try again`;

/** Reveals nothing about the transfer before the password is entered. */
export function LockedTransfer({ share, onRefresh }: LockedTransferProps) {
  usePageTitle(t`Password Required`);
  const [password, setPassword] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  const unlock = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending || password.trim() === '') return;
    setPending(true);
    setError(undefined);
    try {
      await call(verifyDownload, {
        params: { token: share.token },
        query: recipientQuery(share),
        body: { password },
      });
      toast({ title: t`Access granted` });
      await onRefresh();
      // The field is gone, so the focus would move to the top of the window.
      document.getElementById('main')?.focus({ preventScroll: true });
    } catch (refusal) {
      report(refusal as Error);
    }
    setPending(false);
  };
  const report = (refusal: Error) => {
    setError(refusal);
    const description = statusOf(refusal) === 401 ? WRONG : refusalText(refusal);
    toast({ title: titleOf(refusal), description, variant: 'destructive' });
    form.current?.querySelector('input')?.select();
    if (isOver(refusal)) void onRefresh();
  };
  const mistake = error && (statusOf(error) === 401 ? WRONG : errorDetail(error));
  return (
    <Stage
      head={
        <Headline title={t`Password Required`}>
          <p className="mt-5 max-w-[30rem] text-lg text-ink-soft">
            <Trans>The sender protected these files. Enter the password to see them.</Trans>
          </p>
          <form ref={form} onSubmit={unlock} className="mt-8 flex max-w-[26rem] flex-col gap-5">
            <TextField
              label={t`Password`}
              type="password"
              name="transfer-password"
              autoComplete="current-password"
              autoFocus={window.matchMedia('(hover: hover)').matches}
              value={password}
              error={mistake && <ToldError>{mistake}</ToldError>}
              onChange={(event) => setPassword(event.target.value)}
            />
            <Button
              type="submit"
              size="lg"
              className="self-start max-sm:w-full"
              disabled={password.trim() === ''}
              isBusy={isPending}
              busyLabel={t`Verifying...`}
            >
              <Trans>Unlock Transfer</Trans>
            </Button>
          </form>
        </Headline>
      }
      well={
        <StillWell>
          <LockKeyhole aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
    />
  );
}

function titleOf(refusal: unknown): string {
  const status = statusOf(refusal);
  if (status === undefined) return t`No connection`;
  if (status === 401) return t`Invalid password`;
  if (status === 429) return t`Too many attempts`;
  return isOver(refusal) ? t`Transfer not available` : t`Password could not be checked`;
}

/** Whether the transfer was deleted or has expired meanwhile. */
function isOver(refusal: unknown): boolean {
  const status = statusOf(refusal);
  return status === 404 || status === 410;
}

/** undefined if the server is unreachable. */
function statusOf(refusal: unknown): number | undefined {
  return refusal instanceof ApiError ? refusal.status : undefined;
}
