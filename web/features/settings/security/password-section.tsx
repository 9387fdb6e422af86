import { useQueryClient } from '@tanstack/react-query';
import { type FieldPath, useForm } from 'react-hook-form';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextField } from '../../../components/form/text-field.tsx';
import { checkPasswordChange, type PasswordChange } from '../profile/profile-checks.ts';
import { useProfileSave } from '../profile/use-profile-save.ts';
import { SettingsSection } from '../settings-section.tsx';
import { useUnsavedChanges } from '../unsaved-changes.tsx';
import { SESSIONS_KEY } from './session-queries.ts';

const EMPTY: PasswordChange = { currentPassword: '', newPassword: '', confirmPassword: '' };

export function PasswordSection({ user }: { user: CurrentUser }) {
  return (
    <SettingsSection id="password" description="A new password signs you out on every other device.">
      <PasswordForm username={user.username} />
    </SettingsSection>
  );
}

/** Errors appear as toasts and at their fields. */
function PasswordForm({ username }: { username: string }) {
  const client = useQueryClient();
  const form = useForm({ defaultValues: EMPTY });
  const { register, handleSubmit, setError, reset, watch, formState } = form;
  const { save, secondsLeft } = useProfileSave(form, ['currentPassword', 'newPassword']);
  // Ignore the current password: browsers fill it in.
  useUnsavedChanges('password', watch('newPassword') !== '');
  const submit = handleSubmit(async (values) => {
    const refusal = checkPasswordChange(values);
    if (refusal) {
      const { title, description, errors } = refusal;
      toast({ title, description, variant: 'destructive' });
      Object.entries(errors).forEach(([field, message], index) => {
        setError(field as FieldPath<PasswordChange>, { message }, { shouldFocus: index === 0 });
      });
      return;
    }
    const { currentPassword, newPassword } = values;
    const saved = await save({ currentPassword, newPassword }, () => 'Your password has been changed.');
    if (!saved) return;
    reset(EMPTY);
    await client.invalidateQueries({ queryKey: SESSIONS_KEY });
  });
  const bind = (field: FieldPath<PasswordChange>) => ({
    ...register(field),
    type: 'password',
    error: formState.errors[field]?.message,
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* Lets password managers find the account. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <TextField label="Current Password" autoComplete="current-password" {...bind('currentPassword')} />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label="New Password"
          autoComplete="new-password"
          hint="We recommend at least 8 characters."
          {...bind('newPassword')}
        />
        <TextField label="Confirm New Password" autoComplete="new-password" {...bind('confirmPassword')} />
      </div>
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        isBusy={formState.isSubmitting}
        busyLabel="Saving..."
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Change Password
      </CoolDownButton>
    </form>
  );
}
