import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { errorDetail } from '../../../client/api-error.ts';
import { login } from '../../../contracts/accounts/accounts.ts';
import type { SecondFactor } from '../../../contracts/accounts/sign-in/sign-in.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { call } from '../../api/call.ts';
import { setSessionUser, useSession } from '../../api/session/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { readFactors } from '../../signing-in/read-factors.ts';
import { SecondStep } from '../../signing-in/second-step.tsx';

type SignInAgainProps = { onSignedIn: () => void };

/** Asks for the password after the session has ended, so that the upload continues without leaving the page. */
export function SignInAgain({ onSignedIn }: SignInAgainProps) {
  const { user } = useSession();
  const [factors, setFactors] = useState<SecondFactor[]>();
  const [reason, setReason] = useState<string>();
  if (!user) return null;
  const goBack = (why?: string) => {
    setFactors(undefined);
    setReason(why);
  };
  return (
    <div className="flex max-w-md flex-col gap-4">
      <p>
        <Trans>You were signed out, but nothing is lost. Enter your password to continue.</Trans>
      </p>
      {factors ? (
        <SecondStep factors={factors} onBack={goBack} onSignedIn={onSignedIn} />
      ) : (
        <PasswordForm
          username={user.username}
          reason={reason}
          onSignedIn={onSignedIn}
          onFactorNeeded={setFactors}
        />
      )}
      {/* Accounts may have no password. Coming back to this tab resumes the upload. */}
      <p className="text-sm text-ink-soft">
        <Trans>
          <a href={PAGES.auth} target="_blank" rel="noopener" className="link">
            Sign in another way
          </a>{' '}
          in a new tab. The upload continues when you come back here.
        </Trans>
      </p>
    </div>
  );
}

type PasswordFormProps = SignInAgainProps & {
  username: string;
  /** Why the second factor could not finish the sign-in. */
  reason: string | undefined;
  onFactorNeeded: (factors: SecondFactor[]) => void;
};

function PasswordForm({ username, reason, onSignedIn, onFactorNeeded }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState(reason);
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      setSessionUser(await call(login, { body: { username, password } }));
      onSignedIn();
    } catch (failure) {
      const factors = readFactors(failure);
      if (factors) return onFactorNeeded(factors);
      startAfter(failure);
      setError(errorDetail(failure));
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={signIn} className="flex flex-col gap-4">
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextField
        label={t`Password of ${username}`}
        type="password"
        autoComplete="current-password"
        value={password}
        error={error}
        onChange={({ target }) => setPassword(target.value)}
      />
      <CoolDownButton
        type="submit"
        className="self-start"
        isBusy={isBusy}
        busyLabel={t`Signing In...`}
        disabled={password === ''}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Sign in and continue</Trans>
      </CoolDownButton>
    </form>
  );
}
