import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailCheck, Unlink } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { refusalText } from '../../../../client/api-error.ts';
import {
  confirmPasswordReset,
  RequestPasswordResetInput,
  NewPasswordForm as Rules,
  requestPasswordReset,
} from '../../../../contracts/accounts/password-reset.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { forgetSession } from '../../../api/session/session.ts';
import { usePasswordHint } from '../../../api/site.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { PasswordStrength } from '../../../components/form/password-strength.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { isLinkVoid, useLinkToken } from '../use-link-token.ts';

/** Asks for the email address, or for the new password when opened by the emailed link. */
export function ResetPasswordPage() {
  usePageTitle(t`Reset Your Password`);
  const { token, opened } = useLinkToken();
  return (
    <AccountFrame align="left">
      {token ? <NewPasswordForm key={opened} token={token} /> : <ResetRequestForm />}
    </AccountFrame>
  );
}

/** Known and unknown addresses get the same response and page, so that neither reveals who has an account. */
export function ResetRequestForm() {
  const form = useContractForm({ check: checkWith(RequestPasswordResetInput), defaultValues: { email: '' } });
  const { handleSubmit, formState } = form;
  const [isSent, setSent] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const { run } = useAction(requestPasswordReset, {
    form,
    onSuccess: () => setSent(true),
    failure: t`No link sent`,
    onError: startAfter,
  });
  const submit = handleSubmit((body) => run({ body }));
  if (isSent) return <Sent />;
  return (
    <>
      <h1 className="text-4xl">
        <Trans>Reset your password</Trans>
      </h1>
      <p className="mt-3 text-ink-soft">
        <Trans>
          Enter the email address of your account. We'll send you a link to choose a new password.
        </Trans>
      </p>
      <form noValidate onSubmit={submit} className="mt-8 flex flex-col gap-5">
        <TextField label={t`Email`} type="email" autoComplete="email" {...bindField(form, 'email')} />
        <CoolDownButton
          type="submit"
          size="lg"
          className="mt-2"
          isBusy={formState.isSubmitting}
          busyLabel={t`Sending...`}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
        >
          <Trans>Send Reset Link</Trans>
        </CoolDownButton>
      </form>
      <p className="mt-8 text-center">
        <BackToLogin />
      </p>
    </>
  );
}

function Sent() {
  return (
    <div className="text-center">
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title={t`Check your email`}>
        <p className="mt-4 text-ink-soft">
          <Trans>
            If there is an account with that address, a link to choose a new password is on its way. It is
            valid for 60 minutes.
          </Trans>
        </p>
        <p className="mt-2 text-ink-soft">
          <Trans>Not there after a few minutes? Check your spam folder.</Trans>
        </p>
        <p className="mt-8">
          <BackToLogin />
        </p>
      </Outcome>
    </div>
  );
}

/** Leads to sign-in afterwards, because a new password ends all sessions. */
export function NewPasswordForm({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const passwordHint = usePasswordHint();
  const form = useContractForm({
    check: checkWith(Rules),
    defaultValues: { password: '', confirmPassword: '' },
  });
  const { handleSubmit, watch, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  const { run, error } = useAction(confirmPasswordReset, {
    form,
    onSuccess: () => {
      navigate(PAGES.auth, { replace: true });
      forgetSession();
    },
    success: { title: t`Password changed`, description: t`Please sign in with your new password.` },
    failure: (failure) =>
      isLinkVoid(failure) ? undefined : { title: t`Password not changed`, description: refusalText(failure) },
    onError: startAfter,
  });
  const submit = handleSubmit(({ password }) => run({ body: { token, password } }));
  if (isLinkVoid(error)) return <VoidResetLink />;
  return (
    <>
      <h1 className="text-4xl">
        <Trans>Choose a new password</Trans>
      </h1>
      <p className="mt-3 text-ink-soft">
        <Trans>
          This signs you out on all devices. API keys and webhooks are disabled until you enable them again in
          Settings.
        </Trans>
      </p>
      <form noValidate onSubmit={submit} className="mt-8 flex flex-col gap-5">
        <TextField
          label={t`New Password`}
          type="password"
          autoComplete="new-password"
          hint={passwordHint}
          {...bindField(form, 'password')}
        />
        <PasswordStrength password={watch('password')} />
        <TextField
          label={t`Confirm Password`}
          type="password"
          autoComplete="new-password"
          {...bindField(form, 'confirmPassword')}
        />
        <CoolDownButton
          type="submit"
          size="lg"
          className="mt-2"
          isBusy={formState.isSubmitting}
          busyLabel={t`Saving...`}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
        >
          <Trans>Set New Password</Trans>
        </CoolDownButton>
      </form>
    </>
  );
}

function VoidResetLink() {
  return (
    <div className="text-center">
      <Outcome icon={<Unlink strokeWidth={1.25} />} title={t`This link is no longer valid`}>
        <p className="mt-4 text-ink-soft">
          <Trans>Each link works only once and for a limited time. A newer link replaces it.</Trans>
        </p>
        <div className="mt-8 flex flex-col items-center gap-6">
          <LinkButton to={PAGES.resetPassword} size="lg">
            <Trans>Get a new link</Trans>
          </LinkButton>
          <BackToLogin />
        </div>
      </Outcome>
    </div>
  );
}
