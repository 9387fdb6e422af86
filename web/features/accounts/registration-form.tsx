import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { useLocation, useNavigate } from 'react-router';
import type { z } from 'zod';
import { refusalText } from '../../../client/api-error.ts';
import { RegisterForm, register as registerCall } from '../../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/values/links.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { call } from '../../api/call.ts';
import { findFieldErrors, showFieldErrors } from '../../api/field-errors.ts';
import { setSessionUser } from '../../api/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { Checkbox } from '../../components/form/checkbox.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { pathAfterSignIn } from './next-path.ts';

const EMPTY = { name: '', username: '', email: '', password: '', confirmPassword: '' };
const SENT_FIELDS = ['name', 'username', 'email', 'password'] as const;

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
  const { register, handleSubmit, setError, formState } = useForm<
    z.input<typeof RegisterForm>,
    unknown,
    z.output<typeof RegisterForm>
  >({
    resolver: zodResolver(RegisterForm),
    defaultValues: { ...EMPTY, email: invitation?.email ?? '' },
  });
  const { secondsLeft, startAfter } = useCoolDown();
  const { errors, isSubmitting } = formState;
  const submit = handleSubmit(async ({ name, username, email, password }) => {
    try {
      const body = { name, username, email, password };
      if (invitation) {
        const invited = await call(registerCall, { body: { ...body, invitationToken: invitation.token } });
        toast({ title: 'Account created!', description: 'Welcome to Sendwell.' });
        navigate(pathAfterSignIn(invited, search), { replace: true });
        return setSessionUser(invited);
      }
      const user = await call(registerCall, { body });
      toast({ title: 'Account created!', description: 'Please check your email to verify your account.' });
      navigate(verifyEmailPath(user.email), { state: { codeSentAt: Date.now() } });
    } catch (error) {
      toast({ title: 'Registration failed', description: refusalText(error), variant: 'destructive' });
      startAfter(error);
      showFieldErrors(setError, findFieldErrors(error, SENT_FIELDS));
    }
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField label="Full Name" autoComplete="name" error={errors.name?.message} {...register('name')} />
      <TextField
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username?.message}
        {...register('username')}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        readOnly={invitation !== undefined}
        hint={describeAddress({ invitation, domains })}
        error={errors.email?.message}
        {...register('email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="We recommend at least 8 characters."
        error={errors.password?.message}
        {...register('password')}
      />
      <TextField
        label="Confirm Password"
        type="password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...register('confirmPassword')}
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
