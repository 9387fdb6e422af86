import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useState } from 'react';
import { ApiError, errorDetail } from '../../client/api-error.ts';
import {
  beginPasskeyFactor,
  finishSignIn,
  type SecondFactor,
} from '../../contracts/accounts/sign-in/sign-in.ts';
import { call } from '../api/call.ts';
import { setSessionUser } from '../api/session/session.ts';
import { useAction } from '../api/use-action.ts';
import { useCoolDown } from '../api/use-cool-down.ts';
import { Button } from '../components/actions/button.tsx';
import { type ChosenProof, FactorForm } from './factor-form.tsx';
import { promptForPasskey } from './passkeys.ts';

type SecondStepProps = {
  factors: readonly SecondFactor[];
  /** Leads to where the sign-in began; `reason` if it cannot be finished any more. */
  onBack: (reason?: string) => void;
  /** Where no page redirects once the session is set. */
  onSignedIn?: () => void;
};

/** After the password or the emailed link: the second factor. */
export function SecondStep({ factors, onBack, onSignedIn }: SecondStepProps) {
  const [error, setError] = useState<string>();
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(finish, {
    onSuccess: (user) => {
      setSessionUser(user);
      onSignedIn?.();
    },
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: () => undefined,
    onError: (refusal) => {
      startAfter(refusal);
      if (refusal instanceof ApiError && refusal.code === 'sign_in_expired') onBack(errorDetail(refusal));
      else setError(errorDetail(refusal));
    },
  });
  const send = useCallback(
    (proof: ChosenProof) => {
      setError(undefined);
      mutate(proof);
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

async function finish(proof: ChosenProof) {
  if (proof !== 'passkey') return call(finishSignIn, { body: proof });
  const response = await promptForPasskey(await call(beginPasskeyFactor));
  return call(finishSignIn, { body: { method: 'passkey', response } });
}
