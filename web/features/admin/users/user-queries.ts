import type { z } from 'zod';
import {
  type AdminUser,
  type CreateUserInput,
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  setUserAdmin,
  setUserTier,
  USER_SORTS,
} from '../../../../contracts/admin/users.ts';
import { TIERS, type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { call } from '../../../api/call.ts';
import { refreshSession, useSession } from '../../../api/session.ts';
import { refreshRows, removeRows, replaceRow, usePages } from '../lists/use-pages.ts';
import { oneOf } from '../lists/use-view.ts';
import { useAct } from '../use-act.ts';

export const USER_VIEW = ['search', 'tier', 'role', 'sort'] as const;
export type UserView = Record<(typeof USER_VIEW)[number], string>;
const ROLES = ['admin', 'user'] as const;

const lists = [listUsers.path];

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

export function useCreateUser() {
  return useAct((body: z.input<typeof CreateUserInput>) => call(createUser, { body }), {
    onDone: () => refreshRows(listUsers.path),
    done: ({ username }) => ({ title: 'User created', description: `${username} can sign in from now on.` }),
  });
}

export function useSetTier({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAct((tier: TierName) => call(setUserTier, { params: { id }, body: { tier } }), {
    lists,
    onDone: (user) => {
      replaceRow(listUsers.path, user);
      refreshOwn();
    },
    done: ({ tier }) => ({
      title: 'Plan changed',
      description: `${username} is on the ${tierLabel(tier)} plan.`,
    }),
  });
}

export function useSetAdmin({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAct((isAdmin: boolean) => call(setUserAdmin, { params: { id }, body: { isAdmin } }), {
    lists,
    onDone: (user) => {
      replaceRow(listUsers.path, user);
      refreshOwn();
    },
    done: ({ isAdmin }) => ({
      title: isAdmin ? 'Administrator added' : 'Administrator removed',
      description: isAdmin
        ? `${username} can see and do everything here.`
        : `${username} is signed out everywhere and has no access to this area any more.`,
    }),
  });
}

export function useResetPassword({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAct((password: string) => call(resetUserPassword, { params: { id }, body: { password } }), {
    lists,
    onDone: refreshOwn,
    done: () => ({
      title: 'Password reset',
      description: `${username} is signed out everywhere. Please pass the new password on.`,
    }),
  });
}

export function useDeleteUser({ id, username }: AdminUser) {
  const refreshOwn = useRefreshOwn(id);
  return useAct(() => call(deleteUser, { params: { id } }), {
    lists,
    onDone: () => {
      removeRows(listUsers.path, new Set([id]));
      refreshOwn();
    },
    done: () => ({
      title: 'User deleted',
      description: `${username} and everything in this account has been deleted.`,
    }),
  });
}

/** Administrators may change their own account, which changes or ends their session. */
function useRefreshOwn(id: string): () => void {
  const { user } = useSession();
  return () => {
    if (user?.id === id) void refreshSession();
  };
}
