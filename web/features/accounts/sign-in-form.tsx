import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'react-router';
import type { z } from 'zod';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import { LoginInput, login } from '../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { call } from '../../api/call.ts';
import { setSessionUser } from '../../api/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { TextField } from '../../components/form/text-field.tsx';

/** The session it sets lets the page lead on. */
export function SignInForm() {
  const { register, handleSubmit, setFocus, watch, formState } = useForm({
    resolver: zodResolver(LoginInput),
    defaultValues: { username: '', password: '' },
  });
  const { secondsLeft, startAfter } = useCoolDown();
  // Tries are counted by account: another name need not wait for this one.
  const [lastName, setLastName] = useState('');
  const { errors, isSubmitting } = formState;
  const signIn = async (input: z.output<typeof LoginInput>) => {
    try {
      const user = await call(login, { body: input });
      toast({ title: 'Welcome back!', description: "You've successfully logged in." });
      setSessionUser(user);
    } catch (error) {
      startAfter(error);
      setLastName(input.username);
      toast({ title: 'Login failed', description: refusalText(error), variant: 'destructive' });
      // What is wrong is the name or the password; the password is what cannot be seen.
      if (error instanceof ApiError && error.code === 'wrong_credentials')
        setFocus('password', { shouldSelect: true });
    }
  };
  return (
    <form noValidate onSubmit={handleSubmit(signIn)} className="flex flex-col gap-5">
      <TextField
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username?.message}
        {...register('username')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...register('password')}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        className="mt-2"
        isBusy={isSubmitting}
        busyLabel="Signing In..."
        secondsLeft={watch('username') === lastName ? secondsLeft : 0}
        waitingLabel="Try again"
      >
        Sign In
      </CoolDownButton>
      <Link to={PAGES.resetPassword} className="link self-center py-1">
        Forgot your password?
      </Link>
    </form>
  );
}
