import { zodResolver } from '@hookform/resolvers/zod';
import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { refusalText } from '../../../client/api-error.ts';
import {
  RequestPasswordResetInput,
  requestPasswordReset,
} from '../../../contracts/accounts/password-reset.ts';
import { call } from '../../api/call.ts';
import { findFieldErrors, showFieldErrors } from '../../api/field-errors.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { TextField } from '../../components/form/text-field.tsx';
import { BackToLogin } from './back-to-login.tsx';
import { Outcome } from './outcome.tsx';

/** Never tells whether the address is known: the answer is the same, and so is what is shown. */
export function ResetRequestForm() {
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(RequestPasswordResetInput),
    defaultValues: { email: '' },
  });
  const [isSent, setSent] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const submit = handleSubmit(async (body) => {
    try {
      await call(requestPasswordReset, { body });
      setSent(true);
    } catch (error) {
      startAfter(error);
      toast({ title: 'No link sent', description: refusalText(error), variant: 'destructive' });
      showFieldErrors(setError, findFieldErrors(error, ['email']));
    }
  });
  if (isSent) return <Sent />;
  return (
    <>
      <h1 className="text-4xl">Reset your password</h1>
      <p className="mt-3 text-ink-soft">
        Enter the email address of your account. We send you a link to choose a new password.
      </p>
      <form noValidate onSubmit={submit} className="mt-8 flex flex-col gap-5">
        <TextField
          label="Email"
          type="email"
          autoComplete="email"
          error={formState.errors.email?.message}
          {...register('email')}
        />
        <CoolDownButton
          type="submit"
          size="lg"
          className="mt-2"
          isBusy={formState.isSubmitting}
          busyLabel="Sending..."
          secondsLeft={secondsLeft}
          waitingLabel="Try again"
        >
          Send Reset Link
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
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title="Check your email">
        <p className="mt-4 text-ink-soft">
          If there is an account with that address, a link to choose a new password is on its way. It is valid
          for 60 minutes.
        </p>
        <p className="mt-2 text-ink-soft">Nothing there after a few minutes? Look into your spam folder.</p>
        <p className="mt-8">
          <BackToLogin />
        </p>
      </Outcome>
    </div>
  );
}
