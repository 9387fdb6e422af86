import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { LoginInput, login } from '../../../contracts/accounts.ts';
import { errorDetail } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { setSessionUser } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toast } from '../../components/toast.ts';

/** The session it sets lets the page lead on. */
export function SignInForm() {
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(LoginInput),
    defaultValues: { username: '', password: '' },
  });
  const { errors, isSubmitting } = formState;
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
      <Button type="submit" size="lg" className="mt-2" isBusy={isSubmitting} busyLabel="Signing In...">
        Sign In
      </Button>
    </form>
  );
}

async function signIn(input: z.output<typeof LoginInput>): Promise<void> {
  try {
    const user = await call(login, { body: input });
    toast({ title: 'Welcome back!', description: "You've successfully logged in." });
    setSessionUser(user);
  } catch (error) {
    toast({ title: 'Login failed', description: errorDetail(error), variant: 'destructive' });
  }
}
