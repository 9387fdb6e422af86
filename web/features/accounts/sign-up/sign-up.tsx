import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Mail, Unlink, UserX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { z } from 'zod';
import { ApiError, errorDetail, refusalText } from '../../../../client/api-error.ts';
import { RegisterForm, register as registerCall } from '../../../../contracts/accounts/accounts.ts';
import { findAccountInvitation } from '../../../../contracts/accounts/registration.ts';
import type { SignInProvider } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { verifyEmailPath } from '../../../../contracts/values/addresses/links.ts';
import { PAGES, SIGN_UP_PATH } from '../../../../contracts/values/addresses/pages.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { setSessionUser } from '../../../api/session/session.ts';
import { usePasswordHint, useSite } from '../../../api/site.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { PasswordStrength } from '../../../components/form/password-strength.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { usePlace } from '../../../lib/routing.tsx';
import { readRequiredProvider } from '../../../signing-in/providers.ts';

/** The token of an invitation to register, from the link's fragment. */
export function readInvitation(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('invitation');
}

type SignUpProps = {
  /** The address's domain requires this provider. */
  onSsoRequired: (provider: SignInProvider) => void;
};

export function SignUp({ onSsoRequired }: SignUpProps) {
  const token = readInvitation(usePlace().hash);
  const { site, error } = useSite();
  if (token) return <InvitedSignUp key={token} {...{ token, onSsoRequired }} />;
  // If the settings can't be loaded, show the form: the server decides anyway.
  if (!site) return error ? <RegistrationForm onSsoRequired={onSsoRequired} /> : <LoadingForm />;
  const { mode, domains } = site.registration;
  if (mode === 'invite')
    return (
      <Closed icon={<Mail />}>
        <Trans>
          You need an invitation to create an account. If you have one, open the link in your invitation
          email. Otherwise, ask your administrator.
        </Trans>
      </Closed>
    );
  if (mode === 'closed')
    return (
      <Closed icon={<UserX />}>
        <Trans>Sign-up is currently closed. Ask your administrator for an account.</Trans>
      </Closed>
    );
  return <RegistrationForm {...{ domains, onSsoRequired }} />;
}

function InvitedSignUp({ token, onSsoRequired }: SignUpProps & { token: string }) {
  const { site } = useSite();
  const { data, error, refetch } = useQuery({
    ...queryOf(findAccountInvitation, { body: { token } }),
  });
  if (data)
    return <RegistrationForm invitation={{ token, email: data.email }} onSsoRequired={onSsoRequired} />;
  if (!error) return <LoadingForm />;
  const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
  return (
    <Closed
      icon={<Unlink />}
      action={
        isRefused ? (
          ['open', 'domains'].includes(site?.registration.mode ?? '') && (
            <LinkButton to={SIGN_UP_PATH} variant="secondary">
              <Trans>Sign up without an invitation</Trans>
            </LinkButton>
          )
        ) : (
          <Button variant="secondary" onClick={() => void refetch()}>
            <Trans>Try again</Trans>
          </Button>
        )
      }
    >
      {errorDetail(error)}
    </Closed>
  );
}

function Closed({ icon, action, children }: { icon: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex items-start gap-4 rounded-lg border border-line-firm p-5 [&_svg]:mt-0.5 [&_svg]:size-6 [&_svg]:shrink-0 [&_svg]:text-accent-ink"
    >
      <span aria-hidden="true">{icon}</span>
      <div className="min-w-0">
        <p>{children}</p>
        {action && <div className="mt-4">{action}</div>}
      </div>
    </div>
  );
}

function LoadingForm() {
  return (
    <SkeletonGroup label={t`Loading the form`} className="flex flex-col gap-5">
      {['name', 'username', 'email', 'password'].map((field) => (
        <Skeleton key={field} className="h-16" />
      ))}
    </SkeletonGroup>
  );
}

const EMPTY = { name: '', username: '', email: '', password: '', confirmPassword: '' };

type RegistrationFormProps = SignUpProps & {
  /** Prefills the email address and makes it read-only, because opening the emailed link has verified it. */
  invitation?: { token: string; email: string };
  /** Email domains that may register. Empty allows all. */
  domains?: string[];
};

/** Registration leads to the page that asks for the code. Only invited users are signed in immediately. */
function RegistrationForm({ invitation, domains = [], onSsoRequired }: RegistrationFormProps) {
  const [, navigate] = useLocation();
  const { search } = usePlace();
  const form = useContractForm<z.input<typeof RegisterForm>>({
    check: checkWith(RegisterForm),
    defaultValues: { ...EMPTY, email: invitation?.email ?? '' },
  });
  const { register, handleSubmit, watch, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  const { errors, isSubmitting } = formState;
  const { run } = useAction(registerCall, {
    form,
    onSuccess: (user) => {
      if (!invitation) {
        navigate(verifyEmailPath(user.email), { state: { codeSentAt: Date.now(), search } });
        return;
      }
      // The page redirects.
      setSessionUser(user);
    },
    success: {
      title: t`Account created!`,
      description: invitation ? t`Welcome to Sendwell.` : t`Please check your email to verify your account.`,
    },
    failure: (error) =>
      readRequiredProvider(error)
        ? undefined
        : { title: t`Registration failed`, description: refusalText(error) },
    onError: (error) => {
      startAfter(error);
      const provider = readRequiredProvider(error);
      if (provider) onSsoRequired(provider);
    },
  });
  const passwordHint = usePasswordHint();
  const submit = handleSubmit(({ name, username, email, password }) =>
    run({
      body: { name, username, email, password, ...(invitation && { invitationToken: invitation.token }) },
    }),
  );
  return (
    <form noValidate onSubmit={submit} data-low-edge="page" className="flex flex-col gap-5">
      <TextField label={t`Full Name`} autoComplete="name" {...bindField(form, 'name')} />
      <TextField
        label={t`Username`}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...bindField(form, 'username')}
      />
      <TextField
        label={t`Email`}
        type="email"
        autoComplete="email"
        readOnly={invitation !== undefined}
        hint={describeAddress({ invitation, domains })}
        {...bindField(form, 'email')}
      />
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="new-password"
        hint={passwordHint}
        {...bindField(form, 'password')}
      />
      <PasswordStrength password={watch('password')} words={watch(['name', 'username', 'email'])} />
      <TextField
        label={t`Confirm Password`}
        type="password"
        autoComplete="new-password"
        {...bindField(form, 'confirmPassword')}
      />
      <Checkbox label={<TermsLabel />} error={errors.acceptTerms?.message} {...register('acceptTerms')} />
      <CoolDownButton
        type="submit"
        size="lg"
        className="mt-2"
        isBusy={isSubmitting}
        busyLabel={t`Creating Account...`}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Create Account</Trans>
      </CoolDownButton>
    </form>
  );
}

function describeAddress({
  invitation,
  domains = [],
}: Omit<RegistrationFormProps, 'onSsoRequired'>): string | undefined {
  if (invitation) return t`Your invitation is for this address.`;
  if (domains.length === 0) return undefined;
  const shown = domains.slice(0, 5).join(', ');
  return domains.length > 5
    ? t`Use an email address from ${shown} or another allowed domain.`
    : t`Use an email address from ${shown}.`;
}

function TermsLabel() {
  return (
    <Trans>
      I agree to the{' '}
      <a href={PAGES.terms} target="_blank" rel="noopener" className="link">
        Terms of Service
      </a>{' '}
      and{' '}
      <a href={PAGES.privacy} target="_blank" rel="noopener" className="link">
        Privacy Policy
      </a>
    </Trans>
  );
}
