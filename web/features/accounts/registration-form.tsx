import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { useNavigate } from 'react-router';
import type { z } from 'zod';
import { RegisterForm, register as registerCall } from '../../../contracts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/links.ts';
import { PAGES } from '../../../contracts/pages.ts';
import { refusalText } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { findFieldErrors, showFieldErrors } from '../../api/field-errors.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toast } from '../../components/toast.ts';

const EMPTY = { name: '', username: '', email: '', password: '', confirmPassword: '' };
const SENT_FIELDS = ['name', 'username', 'email', 'password'] as const;

/** Registering does not sign in: it leads to the page that asks for the code (specification section 4). */
export function RegistrationForm() {
  const navigate = useNavigate();
  const { register, handleSubmit, setError, formState } = useForm<
    z.input<typeof RegisterForm>,
    unknown,
    z.output<typeof RegisterForm>
  >({
    resolver: zodResolver(RegisterForm),
    defaultValues: EMPTY,
  });
  const { secondsLeft, startAfter } = useCoolDown();
  const { errors, isSubmitting } = formState;
  const submit = handleSubmit(async ({ name, username, email, password }) => {
    try {
      const user = await call(registerCall, { body: { name, username, email, password } });
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
