import { t } from '@lingui/core/macro';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import {
  type AdminUser,
  createUser,
  deleteUser,
  listUsers,
  resetSecondFactor,
  resetUserPassword,
  setUserAdmin,
  setUserTier,
  signUserOut,
  USER_SORTS,
} from '../../../../contracts/admin/users.ts';
import { TIERS, type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { call } from '../../../api/call.ts';
import { removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { refreshSession, useSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import type { SignOutChoice } from '../../../signing-in/sign-out-form.tsx';
import { usePages } from '../lists/use-pages.ts';
import { oneOf } from '../lists/use-view.ts';

export const USER_VIEW = ['search', 'tier', 'role', 'sort'] as const;
export type UserView = Record<(typeof USER_VIEW)[number], string>;
const ROLES = ['admin', 'user'] as const;

const outdated = [listUsers];

export function isNarrowed({ search, tier, role }: UserView): boolean {
  return Boolean(search || tier || role);
}

export function useUsers({ search, tier, role, sort }: UserView) {
  return usePages(listUsers, {
    ...(search && { search }),
    tier: oneOf(TIERS, tier),
    role: oneOf(ROLES, role),
    sort: oneOf(USER_SORTS, sort),
  });
}

export function useCreateUser<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(createUser, {
    form,
    refreshes: [listUsers],
    success: ({ username }) => ({
      title: t`User created`,
      description: t`${username} can sign in from now on.`,
    }),
  });
}

export function useSetTier({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction((tier: TierName) => call(setUserTier, { params: { id }, body: { tier } }), {
    outdated,
    onSuccess: (user) => {
      replaceRow(listUsers, user);
      refreshOwn();
    },
    success: ({ tier }) => ({
      title: t`Plan changed`,
      description: t`${username} is on the ${tierLabel(tier)} plan.`,
    }),
  });
}

export function useSetAdmin({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction((isAdmin: boolean) => call(setUserAdmin, { params: { id }, body: { isAdmin } }), {
    outdated,
    onSuccess: (user) => {
      replaceRow(listUsers, user);
      refreshOwn();
    },
    success: ({ isAdmin }) => ({
      title: isAdmin ? t`Administrator added` : t`Administrator removed`,
      description: isAdmin
        ? t`${username} can see and do everything here.`
        : t`${username} is signed out everywhere and no longer has access to this area.`,
    }),
  });
}

export function useResetPassword({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction((password: string) => call(resetUserPassword, { params: { id }, body: { password } }), {
    outdated,
    onSuccess: refreshOwn,
    success: {
      title: t`Password reset`,
      description: t`${username} is signed out everywhere. Please pass the new password on.`,
    },
  });
}

export function useResetFactor({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction(() => call(resetSecondFactor, { params: { id } }), {
    outdated,
    onSuccess: (user) => {
      replaceRow(listUsers, user);
      refreshOwn();
    },
    success: {
      title: t`Second factor reset`,
      description: t`${username} can sign in with the password alone.`,
    },
  });
}

export function useSignUserOut({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction((choice: SignOutChoice) => call(signUserOut, { params: { id }, body: choice }), {
    outdated,
    onSuccess: refreshOwn,
    success: { title: t`Signed out`, description: t`${username} is signed out everywhere.` },
  });
}

export function useDeleteUser({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAction(() => call(deleteUser, { params: { id } }), {
    outdated,
    refreshes: outdated,
    onSuccess: () => {
      removeRows(listUsers, id);
      refreshOwn();
    },
    success: {
      title: t`User deleted`,
      description: t`${username} and all data of the account have been deleted.`,
    },
  });
}

/** Administrators may change their own account, which changes or ends their session. */
function useRefreshOwn(id: string): () => void {
  const { user } = useSession();
  return () => {
    if (user?.id === id) void refreshSession();
  };
}
