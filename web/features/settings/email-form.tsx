import { useForm } from 'react-hook-form';
import { useNavigate } from 'react-router';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { verifyEmailPath } from '../../../contracts/values/links.ts';
import { setSessionUser } from '../../api/session.ts';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toast } from '../../components/toast.ts';
import { checkEmailChange } from './profile-checks.ts';
import { useUnsavedChanges } from './unsaved-changes.tsx';
import { useProfileSave } from './use-profile-save.ts';

/** A new address must be verified with a code before the account can be used again. */
export function EmailForm({ user }: { user: CurrentUser }) {
  const navigate = useNavigate();
  const form = useForm({ values: { email: user.email, currentPassword: '' } });
  const { register, handleSubmit, setError, watch, formState } = form;
  const { save, secondsLeft } = useProfileSave(form, ['email', 'currentPassword']);
  const isChanged = watch('email').trim() !== user.email;
  useUnsavedChanges('email', isChanged);
  const submit = handleSubmit(async ({ email, currentPassword }) => {
    const refusal = checkEmailChange({ currentPassword });
    if (refusal) {
      const { title, description, errors } = refusal;
      toast({ title, description, variant: 'destructive' });
      setError('currentPassword', { message: errors.currentPassword }, { shouldFocus: true });
      return;
    }
    const saved = await save({ email: email.trim(), currentPassword }, describeSuccess);
    if (!saved) return;
    if (!saved.emailVerified)
      navigate(verifyEmailPath(saved.email), {
        state: { oldEmail: user.email, codeSentAt: Date.now() },
      });
    setSessionUser(saved);
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        error={formState.errors.email?.message}
        {...register('email', {
          validate: (email) => isEmail(email.trim()) || 'Please enter a valid email address',
        })}
      />
      {isChanged && (
        <div className="flex animate-fade-in flex-col gap-4 border-l-2 border-accent pl-4 sm:pl-5">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-sm text-ink-soft marker:text-ink-faint">
            <li>We send a code to the new address. Until you enter it, your account is on hold.</li>
            <li>Let running uploads finish first: they stop when the address changes.</li>
            <li>
              A mail to <span className="wrap-anywhere text-ink">{user.email}</span> can take the change back.
            </li>
          </ul>
          <TextField
            label="Current Password"
            type="password"
            autoComplete="current-password"
            error={formState.errors.currentPassword?.message}
            {...register('currentPassword')}
          />
        </div>
      )}
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        disabled={!isChanged}
        isBusy={formState.isSubmitting}
        busyLabel="Saving..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Change Email
      </CoolDownButton>
    </form>
  );
}

/** Another spelling of the same address needs no new proof. */
function describeSuccess({ emailVerified }: CurrentUser): string {
  return emailVerified
    ? 'Your email address has been changed.'
    : 'Please check your email to verify your new address.';
}
