import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { listSessions } from '../../../../contracts/accounts/settings.ts';
import { listFactors } from '../../../../contracts/accounts/sign-in/factors.ts';
import { invalidate } from '../../../api/endpoint-query.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { usePasswordHint } from '../../../api/site.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { PasswordStrength } from '../../../components/form/password-strength.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { useHasPassword } from '../security/factor-queries.ts';
import { SettingsSection } from '../settings-section.tsx';
import { useUnsavedChanges } from '../unsaved-changes.tsx';
import { checkPasswordChange, type PasswordChange, toastRefusal } from './profile-checks.ts';
import { useProfileSave } from './use-profile-save.ts';

const EMPTY: PasswordChange = { currentPassword: '', newPassword: '', confirmPassword: '' };

export function PasswordSection({ user }: { user: CurrentUser }) {
  const hasPassword = useHasPassword();
  return (
    <SettingsSection
      id="password"
      title={t`Password`}
      description={
        hasPassword
          ? t`A new password signs you out on every other device.`
          : t`You sign in without a password. You can set one as well.`
      }
    >
      <PasswordForm username={user.username} hasPassword={hasPassword} />
    </SettingsSection>
  );
}

/** Errors appear as toasts and at their fields. */
function PasswordForm({ username, hasPassword }: { username: string; hasPassword: boolean }) {
  const form = useContractForm({
    check: (values) => ({ ...checkPasswordChange(values, { hasPassword })?.errors }),
    defaultValues: EMPTY,
  });
  const { handleSubmit, reset, watch } = form;
  const { mutate, isPending, secondsLeft } = useProfileSave({
    form,
    describe: () => t`Your password has been changed.`,
    onSaved: () => {
      reset(EMPTY);
      void invalidate(listSessions);
      void invalidate(listFactors);
    },
  });
  const passwordHint = usePasswordHint();
  // Ignore the current password: browsers fill it in.
  useUnsavedChanges('password', watch('newPassword') !== '');
  const submit = handleSubmit(
    ({ currentPassword, newPassword }) =>
      mutate({ body: { newPassword, ...(hasPassword && { currentPassword }) } }),
    () => toastRefusal(form, checkPasswordChange(form.getValues(), { hasPassword })),
  );
  const bind = (field: keyof PasswordChange) => ({ ...bindField(form, field), type: 'password' });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* Lets password managers find the account. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      {hasPassword && (
        <TextField label={t`Current Password`} autoComplete="current-password" {...bind('currentPassword')} />
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label={t`New Password`}
          autoComplete="new-password"
          hint={passwordHint}
          {...bind('newPassword')}
        />
        <TextField label={t`Confirm New Password`} autoComplete="new-password" {...bind('confirmPassword')} />
      </div>
      <PasswordStrength password={watch('newPassword')} words={[username]} />
      <CoolDownButton
        type="submit"
        variant="secondary"
        className="self-start"
        isBusy={isPending}
        busyLabel={t`Saving...`}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        {hasPassword ? <Trans>Change Password</Trans> : <Trans>Set Password</Trans>}
      </CoolDownButton>
    </form>
  );
}
