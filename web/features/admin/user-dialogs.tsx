import type { AdminUser } from '../../../contracts/admin/users.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';
import { useLast } from './use-last.ts';
import { useSetAdmin } from './user-queries.ts';

export type OpenUserDialog = { kind: 'admin' | 'password' | 'delete'; user: AdminUser };

/** What the rows of the list open, one at a time. */
export function UserDialogs({ dialog, onClose }: { dialog: OpenUserDialog | null; onClose: () => void }) {
  // Closing, a dialog still says whom it is about.
  const user = useLast(dialog?.user);
  if (!user) return null;
  const props = (kind: OpenUserDialog['kind']) => ({ user, isOpen: dialog?.kind === kind, onClose });
  return (
    <>
      <AdminDialog {...props('admin')} />
      <ResetPasswordDialog {...props('password')} />
      <DeleteUserDialog {...props('delete')} />
    </>
  );
}

export type UserDialogProps = { user: AdminUser; isOpen: boolean; onClose: () => void };

function AdminDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { mutate, isPending } = useSetAdmin(user);
  const wasAdmin = useLast(isOpen ? user.isAdmin : undefined) ?? user.isAdmin;
  const name = <strong className="font-medium text-ink">{user.username}</strong>;
  return (
    <ConfirmDialog
      title={wasAdmin ? 'Revoke administrator rights?' : 'Grant administrator rights?'}
      description={
        wasAdmin ? (
          <>{name} is signed out everywhere and can no longer open this area. The account itself stays.</>
        ) : (
          <>{name} will be able to see and delete all users and transfers, and to change plans and prices.</>
        )
      }
      confirmLabel={wasAdmin ? 'Revoke rights' : 'Grant rights'}
      isDestructive={wasAdmin}
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(!wasAdmin, { onSettled: onClose })}
    />
  );
}
