import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { ApiError, refusalText } from '../../../../client/api-error.ts';
import { LoginInput, login } from '../../../../contracts/accounts/accounts.ts';
import type { SecondFactor } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { SignInProvider } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { setSessionUser } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Link } from '../../../lib/routing.tsx';
import { readRequiredProvider } from '../../../signing-in/providers.ts';
import { readFactors } from '../../../signing-in/read-factors.ts';

type SignInFormProps = {
  /** The password was right; these factors can finish the sign-in. */
  onFactorNeeded: (factors: SecondFactor[]) => void;
  /** The account must sign in with this provider. */
  onSsoRequired: (provider: SignInProvider) => void;
};

/** The page redirects once the session is set. */
export function SignInForm({ onFactorNeeded, onSsoRequired }: SignInFormProps) {
  const form = useContractForm({
    check: checkWith(LoginInput),
    defaultValues: { username: '', password: '' },
  });
  const { handleSubmit, setFocus, watch, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  // The server counts attempts per account, so another username need not wait.
  const [lastName, setLastName] = useState('');
  const { run } = useAction(login, {
    onSuccess: setSessionUser,
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: (error) =>
      readFactors(error) || readRequiredProvider(error)
        ? undefined
        : { title: t`Login failed`, description: refusalText(error) },
    onError: (error, { body }) => {
      const factors = readFactors(error);
      if (factors) return onFactorNeeded(factors);
      const provider = readRequiredProvider(error);
      if (provider) return onSsoRequired(provider);
      startAfter(error);
      setLastName(body.username);
      // Either may be wrong. Focus the password, because its characters are hidden.
      if (error instanceof ApiError && error.code === 'wrong_credentials')
        setFocus('password', { shouldSelect: true });
    },
  });
  return (
    <form noValidate onSubmit={handleSubmit((body) => run({ body }))} className="flex flex-col gap-5">
      <TextField
        label={t`Username`}
        autoComplete="username webauthn"
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
