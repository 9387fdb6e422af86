import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../../../../client/api-error.ts';
import { NewPassword } from '../../../../contracts/accounts/accounts.ts';
import type { AdminUser } from '../../../../contracts/admin/users.ts';
import { type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { usePasswordHint } from '../../../api/site.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { ToldError } from '../../../components/form/field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { translateSentence } from '../../../lib/language/sentences.ts';
import { SignOutForm } from '../../../signing-in/sign-out-form.tsx';
import { useLast } from '../use-last.ts';
import {
  useDeleteUser,
  useResetFactor,
  useResetPassword,
  useSetAdmin,
  useSetTier,
  useSignUserOut,
} from './user-queries.ts';

export type OpenUserDialog =
  | { kind: 'admin' | 'password' | 'factor' | 'sign-out' | 'delete'; user: AdminUser }
  | { kind: 'plan'; user: AdminUser; tier: TierName };

export function UserDialogs({ dialog, onClose }: { dialog: OpenUserDialog | null; onClose: () => void }) {
  // Keep the content while the dialog fades out.
  const user = useLast(dialog?.user);
  const tier = useLast(dialog?.kind === 'plan' ? dialog.tier : undefined);
  if (!user) return null;
  const props = (kind: OpenUserDialog['kind']) => ({ user, isOpen: dialog?.kind === kind, onClose });
  return (
    <>
      {tier && <PlanDialog {...props('plan')} tier={tier} />}
      <AdminDialog {...props('admin')} />
      <ResetPasswordDialog {...props('password')} />
      <ResetFactorDialog {...props('factor')} />
      <SignOutDialog {...props('sign-out')} />
      <DeleteUserDialog {...props('delete')} />
    </>
  );
}

type UserDialogProps = { user: AdminUser; isOpen: boolean; onClose: () => void };

function PlanDialog({ user, tier, isOpen, onClose }: UserDialogProps & { tier: TierName }) {
  const { mutate, isPending } = useSetTier(user);
  const name = <strong className="font-medium text-ink">{user.username}</strong>;
  const [from, to] = [tierLabel(user.tier), tierLabel(tier)];
  return (
    <ConfirmDialog
      title={t`Change the plan to ${to}?`}
      description={
        <Trans>
          {name} moves from {from} to {to} at once, and nothing is charged. A later change of their
          subscription replaces this plan.
        </Trans>
      }
      confirmLabel={t`Change plan`}
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(tier, { onSettled: onClose })}
    />
  );
}

function AdminDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { mutate, isPending } = useSetAdmin(user);
  const wasAdmin = useLast(isOpen ? user.isAdmin : undefined) ?? user.isAdmin;
  const name = <strong className="font-medium text-ink">{user.username}</strong>;
  return (
    <ConfirmDialog
      title={wasAdmin ? t`Revoke administrator rights?` : t`Grant administrator rights?`}
      description={
        wasAdmin ? (
          <Trans>
            {name} is signed out everywhere and can no longer open this area. The account itself stays.
          </Trans>
        ) : (
          <Trans>
            {name} will be able to see and delete all users and transfers, and to change plans and prices.
          </Trans>
        )
      }
      confirmLabel={wasAdmin ? t`Revoke rights` : t`Grant rights`}
      isDestructive={wasAdmin}
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(!wasAdmin, { onSettled: onClose })}
    />
  );
}

function ResetPasswordDialog({ user, isOpen, onClose }: UserDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={t`Reset password`}
      description={
        <Trans>
          <strong className="font-medium text-ink">{user.username}</strong> will be signed out everywhere and
          then signs in with the new password. No email is sent; please pass the password on yourself.
        </Trans>
      }
    >
      <ResetForm user={user} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so its state starts fresh. */
function ResetForm({ user, onClose }: Omit<UserDialogProps, 'isOpen'>) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<ReactNode>();
  const passwordHint = usePasswordHint();
  const { mutate, isPending } = useResetPassword(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const { error: wrong } = NewPassword.safeParse(password);
    if (wrong) return setError(translateSentence(wrong.issues[0]?.message));
    mutate(password, {
      onSuccess: onClose,
      onError: (failure) => {
        if (failure instanceof ApiError && failure.errors.password)
          setError(<ToldError>{failure.errors.password}</ToldError>);
      },
    });
  };
  return (
    <form noValidate aria-label={t`Reset password`} onSubmit={submit}>
      <TextField
        label={t`New password`}
        type="password"
        autoComplete="new-password"
        hint={passwordHint}
        value={password}
        error={error}
        onChange={({ target }) => {
          setPassword(target.value);
          setError(undefined);
        }}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending} busyLabel={t`Resetting...`}>
          <Trans>Reset password</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}

function ResetFactorDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { mutate, isPending } = useResetFactor(user);
  const name = <strong className="font-medium text-ink">{user.username}</strong>;
  return (
    <ConfirmDialog
      title={t`Reset the second factor?`}
      description={
        <Trans>
          {name} can then sign in with the password alone, and gets an email about it. Only do this if you are
          sure who asked for it.
        </Trans>
      }
      confirmLabel={t`Reset`}
      isDestructive
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(undefined, { onSettled: onClose })}
    />
  );
}

function SignOutDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { mutate, isPending } = useSignUserOut(user);
  const name = <strong className="font-medium text-ink">{user.username}</strong>;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={t`Sign out everywhere?`}
      description={
        <Trans>All sessions of {name} end immediately, and running uploads stop. The password stays.</Trans>
      }
    >
      <SignOutForm
        submitLabel={t`Sign out`}
        isPending={isPending}
        onSubmit={(choice) => mutate(choice, { onSuccess: onClose })}
        onCancel={onClose}
      />
    </Dialog>
  );
}

/** Asks for the username to prevent accidental deletion. */
function DeleteUserDialog({ user, isOpen, onClose }: UserDialogProps) {
  const { username, transferCount, storageBytes } = user;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={t`Delete this user?`}
      description={
        <Trans>
          <strong className="font-medium text-ink">{username}</strong> will be deleted with{' '}
          <Plural value={transferCount} one="# transfer" other="# transfers" /> ({formatSize(storageBytes)}),
          invitations and settings. Their links stop working. This cannot be undone.
        </Trans>
      }
    >
      <DeleteForm user={user} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so its state starts fresh. */
function DeleteForm({ user, onClose }: Omit<UserDialogProps, 'isOpen'>) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useDeleteUser(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (typed.trim().toLowerCase() !== user.username.toLowerCase())
      return setError(t`Please type ${user.username} to confirm`);
    mutate(undefined, { onSuccess: onClose });
  };
  return (
    <form noValidate aria-label={t`Delete user`} onSubmit={submit}>
      <TextField
        label={t`Type ${user.username} to confirm`}
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
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" variant="danger" isBusy={isPending} busyLabel={t`Deleting...`}>
          <Trans>Delete user</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
