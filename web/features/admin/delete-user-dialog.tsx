import { type FormEvent, useState } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import type { UserDialogProps } from './user-dialogs.tsx';
import { useDeleteUser } from './user-queries.ts';
import { countOf } from './wording.ts';

/** Asks for the username, so that nobody is deleted by a slip. */
export function DeleteUserDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { username, transferCount, storageBytes } = user;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title="Delete this user?"
      description={
        <>
          <strong className="font-medium text-ink">{username}</strong> will be deleted with{' '}
          {countOf(transferCount, 'transfer')} ({formatSize(storageBytes)}), invitations and settings. Their
          links stop working. This cannot be undone.
        </>
      }
    >
      <DeleteForm user={user} onClose={onClose} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open. */
function DeleteForm({ user, onClose }: Omit<UserDialogProps, 'isOpen'>) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useDeleteUser(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (typed.trim().toLowerCase() !== user.username.toLowerCase())
      return setError(`Please type ${user.username} to confirm`);
    mutate(undefined, { onSuccess: onClose });
  };
  return (
    <form noValidate aria-label="Delete user" onSubmit={submit}>
      <TextField
        label={`Type ${user.username} to confirm`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        error={error}
        onChange={({ target }) => {
          setTyped(target.value);
          setError(undefined);
        }}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="danger" isBusy={isPending} busyLabel="Deleting...">
          Delete user
        </Button>
      </DialogFooter>
    </form>
  );
}
