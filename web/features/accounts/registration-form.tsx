import { useLocation, useNavigate } from 'react-router';
import type { z } from 'zod';
import { RegisterForm, register as registerCall } from '../../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/values/links.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { bindField, checkWith, useContractForm } from '../../api/contract-form.ts';
import { setSessionUser } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { Checkbox } from '../../components/form/checkbox.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { pathAfterSignIn } from './next-path.ts';

const EMPTY = { name: '', username: '', email: '', password: '', confirmPassword: '' };

type RegistrationFormProps = {
  /** Its address is filled in and fixed; having got the link by email proves it. */
  invitation?: { token: string; email: string };
  /** Whose addresses may register; none: everybody's. */
  domains?: string[];
};

/**
 * Registering does not sign in: it leads to the page that asks for the code. Only an invited person is signed in at
 * once.
 */
export function RegistrationForm({ invitation, domains = [] }: RegistrationFormProps) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const form = useContractForm<z.input<typeof RegisterForm>>({
    check: checkWith(RegisterForm),
    defaultValues: { ...EMPTY, email: invitation?.email ?? '' },
  });
  const { register, handleSubmit, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  const { errors, isSubmitting } = formState;
  const { run } = useAction(registerCall, {
    form,
    onSuccess: (user) => {
      if (!invitation) {
        navigate(verifyEmailPath(user.email), { state: { codeSentAt: Date.now() } });
        return;
      }
      navigate(pathAfterSignIn(user, search), { replace: true });
      setSessionUser(user);
    },
    success: {
      title: 'Account created!',
      description: invitation ? 'Welcome to Sendwell.' : 'Please check your email to verify your account.',
    },
    failure: 'Registration failed',
    onError: startAfter,
  });
  const submit = handleSubmit(({ name, username, email, password }) =>
    run({
      body: { name, username, email, password, ...(invitation && { invitationToken: invitation.token }) },
    }),
  );
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField label="Full Name" autoComplete="name" {...bindField(form, 'name')} />
      <TextField
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...bindField(form, 'username')}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        readOnly={invitation !== undefined}
        hint={describeAddress({ invitation, domains })}
        {...bindField(form, 'email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="We recommend at least 8 characters."
        {...bindField(form, 'password')}
      />
      <TextField
        label="Confirm Password"
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
        busyLabel="Creating Account..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Create Account
      </CoolDownButton>
    </form>
  );
}

function describeAddress({ invitation, domains = [] }: RegistrationFormProps): string | undefined {
  if (invitation) return 'Your invitation is for this address.';
  if (domains.length === 0) return undefined;
  const shown = domains.slice(0, 5).join(', ');
  return `Accounts are for addresses of ${shown}${domains.length > 5 ? ' and others' : ''}.`;
}

function TermsLabel() {
  return (
    <>
      I agree to the{' '}
      <a href={PAGES.terms} target="_blank" rel="noopener" className="link">
        Terms of Service
      </a>{' '}
      and{' '}
      <a href={PAGES.privacy} target="_blank" rel="noopener" className="link">
        Privacy Policy
      </a>
    </>
  );
}
