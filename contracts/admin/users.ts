import { z } from 'zod';
import { AUTH_BODY_LIMIT, NewPassword, Username } from '../accounts/accounts.ts';
import { SignedOut, SignOut } from '../accounts/settings.ts';
import { defineEndpoint } from '../endpoint.ts';
import { TITLE_MAX } from '../plans/limits.ts';
import { TierName } from '../plans/tiers.ts';
import { blankAsAbsent } from '../transfers/transfers.ts';
import { Email, Instant, lineUpTo, textUpTo } from '../values/fields.ts';
import { AdminPage } from './pages.ts';

const ByUserId = z.object({ id: z.uuid('This id is not valid.') });

export const USER_SORTS = ['newest', 'oldest', 'username', 'email', 'storage'] as const;
export const AdminUser = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  isAdmin: z.boolean(),
  hasSecondFactor: z.boolean(),
  tier: TierName,
  createdAt: Instant,
  transferCount: z.int().describe('Ready transfers only.'),
  storageBytes: z.int().describe('Bytes in these transfers.'),
});
export type AdminUser = z.infer<typeof AdminUser>;

export const listUsers = defineEndpoint({
  method: 'GET',
  path: '/api/admin/users',
  access: 'admin',
  summary: 'All accounts, newest first by default',
  query: AdminPage.extend({
    search: textUpTo(TITLE_MAX).optional().describe('Searches names, usernames and email addresses.'),
    tier: TierName.optional(),
    role: z.enum(['admin', 'user']).optional(),
    sort: z.enum(USER_SORTS).optional(),
  }),
  paged: true,
  response: z.array(AdminUser),
});

export const CreateUserInput = z.strictObject({
  username: Username,
  email: Email,
  password: NewPassword,
  tier: TierName.default('free'),
  isAdmin: z.boolean().default(false),
  name: blankAsAbsent(lineUpTo(100)).describe('The username by default.'),
});

export const createUser = defineEndpoint({
  method: 'POST',
  path: '/api/admin/users',
  access: 'admin-step-up',
  idempotent: true,
  summary: 'Create an account; its address counts as verified',
  body: CreateUserInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: AdminUser,
  status: 201,
});

export const deleteUser = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/users/:id',
  access: 'admin-step-up',
  summary: 'Delete an account with everything in it',
  params: ByUserId,
  response: 'empty',
});

export const setUserAdmin = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/admin',
  access: 'admin-step-up',
  summary: 'Grant or revoke administrator rights',
  params: ByUserId,
  body: z.strictObject({ isAdmin: z.boolean() }),
  response: AdminUser,
});

export const resetUserPassword = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/reset-password',
  access: 'admin-step-up',
  summary: "Set a user's password; all their sessions end",
  params: ByUserId,
  body: z.strictObject({ password: NewPassword }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: AdminUser,
});

export const signUserOut = defineEndpoint({
  method: 'POST',
  path: '/api/admin/users/:id/sign-out',
  access: 'admin-step-up',
  summary: 'End all sessions of a user, and disable API keys and webhooks by choice',
  params: ByUserId,
  body: SignOut,
  response: SignedOut,
});

export const resetSecondFactor = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/users/:id/second-factor',
  access: 'admin-step-up',
  summary:
    'Remove the second factors and recovery codes of a user who lost them; the user is notified by email',
  params: ByUserId,
  response: AdminUser,
});

export const setUserTier = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/tier',
  access: 'admin-step-up',
  summary: "Set a user's plan",
  params: ByUserId,
  body: z.strictObject({ tier: TierName }),
  response: AdminUser,
});
