import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { errorDetail } from '../../../client/api-error.ts';
import { login } from '../../../contracts/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import { setSessionUser, useSession } from '../../api/session/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { TextField } from '../../components/form/text-field.tsx';

/** Asks for the password after the session has ended, so that the upload continues without leaving the page. */
export function SignInAgain({ onSignedIn }: { onSignedIn: () => void }) {
  const { user } = useSession();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  if (!user) return null;
  const { username } = user;
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      setSessionUser(await call(login, { body: { username, password } }));
      onSignedIn();
    } catch (failure) {
      startAfter(failure);
      setError(errorDetail(failure));
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={signIn} className="flex max-w-md flex-col gap-4">
      <p>
        <Trans>You were signed out, but nothing is lost. Enter your password to continue.</Trans>
      </p>
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
