import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { NewPassword } from '../../../contracts/accounts/accounts.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import type { UserDialogProps } from './user-dialogs.tsx';
import { useResetPassword } from './user-queries.ts';

export function ResetPasswordDialog({ user, isOpen, onClose }: UserDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title="Reset password"
      description={
        <>
          <strong className="font-medium text-ink">{user.username}</strong> is signed out everywhere and signs
          in with the new password from then on. No mail is sent; please pass it on yourself.
        </>
      }
    >
      <ResetForm user={user} onClose={onClose} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open. */
function ResetForm({ user, onClose }: Omit<UserDialogProps, 'isOpen'>) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useResetPassword(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const { error: wrong } = NewPassword.safeParse(password);
    if (wrong) return setError(wrong.issues[0]?.message);
    mutate(password, {
      onSuccess: onClose,
      onError: (failure) => failure instanceof ApiError && setError(failure.errors.password),
    });
  };
  return (
    <form noValidate aria-label="Reset password" onSubmit={submit}>
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="8 or more characters are recommended."
        value={password}
        error={error}
        onChange={({ target }) => {
          setPassword(target.value);
          setError(undefined);
        }}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isPending} busyLabel="Resetting...">
          Reset password
        </Button>
      </DialogFooter>
    </form>
  );
}
