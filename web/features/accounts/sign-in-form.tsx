import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../../client/api-error.ts';
import { LoginInput, login } from '../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { bindField, checkWith, useContractForm } from '../../api/contract-form.ts';
import { setSessionUser } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { TextField } from '../../components/form/text-field.tsx';

/** The session it sets lets the page lead on. */
export function SignInForm() {
  const form = useContractForm({
    check: checkWith(LoginInput),
    defaultValues: { username: '', password: '' },
  });
  const { handleSubmit, setFocus, watch, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  // Tries are counted by account: another name need not wait for this one.
  const [lastName, setLastName] = useState('');
  const { run } = useAction(login, {
    onSuccess: setSessionUser,
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: t`Login failed`,
    onError: (error, { body }) => {
      startAfter(error);
      setLastName(body.username);
      // What is wrong is the name or the password; the password is what cannot be seen.
      if (error instanceof ApiError && error.code === 'wrong_credentials')
        setFocus('password', { shouldSelect: true });
    },
  });
  return (
    <form noValidate onSubmit={handleSubmit((body) => run({ body }))} className="flex flex-col gap-5">
      <TextField
        label={t`Username`}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...bindField(form, 'username')}
      />
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="current-password"
        {...bindField(form, 'password')}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        className="mt-2"
        isBusy={formState.isSubmitting}
        busyLabel={t`Signing In...`}
        secondsLeft={watch('username') === lastName ? secondsLeft : 0}
        waitingLabel={t`Try again`}
      >
        <Trans>Sign In</Trans>
      </CoolDownButton>
      <Link to={PAGES.resetPassword} className="link self-center py-1">
        <Trans>Forgot your password?</Trans>
      </Link>
    </form>
  );
}
