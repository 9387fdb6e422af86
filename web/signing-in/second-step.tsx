import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useState } from 'react';
import { ApiError, errorDetail } from '../../client/api-error.ts';
import { type FactorProof, finishSignIn, type SecondFactor } from '../../contracts/accounts/sign-in.ts';
import { setSessionUser } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { useCoolDown } from '../api/use-cool-down.ts';
import { Button } from '../components/actions/button.tsx';
import { FactorForm } from './factor-form.tsx';

type SecondStepProps = {
  factors: readonly SecondFactor[];
  /** Leads to where the sign-in began; `reason` if it cannot be finished any more. */
  onBack: (reason?: string) => void;
};

/** After the password or the emailed link: the second factor. The page redirects once the session is set. */
export function SecondStep({ factors, onBack }: SecondStepProps) {
  const [error, setError] = useState<string>();
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(finishSignIn, {
    onSuccess: setSessionUser,
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: () => undefined,
    onError: (refusal) => {
      startAfter(refusal);
      if (refusal instanceof ApiError && refusal.code === 'sign_in_expired') onBack(errorDetail(refusal));
      else setError(errorDetail(refusal));
    },
  });
  const send = useCallback(
    (proof: FactorProof) => {
      setError(undefined);
      mutate({ body: proof });
    },
    [mutate],
  );
  return (
    <FactorForm {...{ factors, isPending, error, secondsLeft }} onProof={send} submitLabel={t`Sign In`}>
      <Button type="button" variant="ghost" size="sm" onClick={() => onBack()}>
        <Trans>Back</Trans>
      </Button>
    </FactorForm>
  );
}
