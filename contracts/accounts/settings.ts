import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ACCOUNT_PASSWORD_MAX } from '../plans/limits.ts';
import { Email, Id, Instant, Language, requiredText } from '../values/fields.ts';
import { AUTH_BODY_LIMIT, CurrentUser, NewPassword } from './accounts.ts';
import { SIGN_IN_METHODS, STEP_UP_MINUTES } from './sign-in/sign-in.ts';

/** For all sessions of an account together. */
export const SESSION_CALLS_PER_MINUTE = 6_000;
/** For the calls of the upload engine, previews and downloads. Uploading 100,000 small files stays well below. */
export const SESSION_BULK_CALLS_PER_MINUTE = 120_000;

/** Not checked against the rules for new passwords. */
export const CurrentPassword = z
  .string()
  .min(1, 'Please enter your current password.')
  .max(ACCOUNT_PASSWORD_MAX, 'The password is incorrect.');

const NEEDS_STEP_UP = `Accounts with a second factor, or without a password, also need a sign-in of the last ${STEP_UP_MINUTES} minutes, as for calls with the access \`step-up\`; without a password none is asked for.`;

export const UpdateProfileInput = z
  .strictObject({
    name: requiredText(100, 'Name is required').optional(),
    email: Email.optional(),
    currentPassword: CurrentPassword.optional(),
    newPassword: NewPassword.optional(),
    language: Language.optional().describe('Of the pages and of mails to the account.'),
  })
  .refine(
    (input) => input.name ?? input.email ?? input.newPassword ?? input.language,
    'There is nothing to change.',
  )
  .describe(
    'Send `name` or `language` alone, or a new `email` or `newPassword` together with `currentPassword`.',
  );

export const updateProfile = defineEndpoint({
  method: 'PATCH',
  path: '/api/user/profile',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Change the name, the language, the email address (which must be verified again) or the password',
  description: NEEDS_STEP_UP,
  body: UpdateProfileInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});

/**
 * How an owner recovered an account: by a password reset, by undoing a change of the email address, by the link
 * "This wasn't me" in a security email, or by signing out everywhere. Each disables the API keys and webhooks of the
 * account; the last one by choice.
 */
export const RECOVERY_REASONS = ['password-reset', 'email-undone', 'reported', 'signed-out'] as const;
export type RecoveryReason = (typeof RECOVERY_REASONS)[number];

export const secureAccount = defineEndpoint({
  method: 'POST',
  path: '/api/account/secure',
  access: 'public',
  summary:
    'Secure an account with the link of a security email: ends all sessions, voids the password, disables API keys and webhooks, and emails a link to set a new one',
  description: 'For the link “This wasn’t me” in a security email.',
  body: z.object({ token: z.string().max(200) }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
});

export const undoEmailChange = defineEndpoint({
  method: 'POST',
  path: '/api/email-change/undo',
  access: 'public',
  summary:
    'Undo a change of the email address: ends all sessions, voids the password, disables API keys and webhooks, and emails a link to set a new one',
  description: 'For the link in the email that went to the old address.',
  body: z.object({ token: z.string().max(200) }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
});

export const Preferences = z.object({
  emailOnDownload: z.boolean().describe('Pro and Premium only.'),
  emailOnView: z.boolean().describe('Pro and Premium only.'),
  emailOnExpiry: z
    .boolean()
    .describe('Email when a transfer is about to expire and when it has expired. On every plan.'),
  emailOnReopenRequest: z
    .boolean()
    .describe('Email when someone asks to reopen an expired or used-up transfer. On every plan.'),
});
export type Preferences = z.infer<typeof Preferences>;

export const getPreferences = defineEndpoint({
  method: 'GET',
  path: '/api/user/preferences',
  access: 'signed-in',
  summary: 'The caller’s email preferences',
  response: Preferences,
});

export const updatePreferences = defineEndpoint({
  method: 'PATCH',
  path: '/api/user/preferences',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Change the caller’s email preferences; emails about downloads and views need Pro or Premium',
  body: Preferences.partial().strict(),
  response: Preferences,
});

export const Session = z.object({
  id: z.string(),
  isCurrent: z.boolean().describe('Whether this request was made with this session.'),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  country: z.string().nullable().describe('ISO 3166-1 alpha-2, looked up from the address.'),
  city: z.string().nullable(),
  methods: z.array(z.enum(SIGN_IN_METHODS)).describe('How the caller signed in and confirmed, in order.'),
  createdAt: Instant,
  lastSeenAt: Instant,
});
export type Session = z.infer<typeof Session>;

export const listSessions = defineEndpoint({
  method: 'GET',
  path: '/api/user/sessions',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Where the caller is signed in, the current one first',
  response: z.array(Session),
});

export const endSession = defineEndpoint({
  method: 'DELETE',
  path: '/api/user/sessions/:id',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'End one of the caller’s sessions',
  params: z.object({ id: Id }),
  response: 'empty',
});

/** What ends besides sessions. */
const ALSO = {
  apiKeys: z.boolean().default(false).describe('Also disable all API keys.'),
  webhooks: z.boolean().default(false).describe('Also disable all webhooks.'),
};

/** For an account that somebody else may use. */
export const SignOut = z.strictObject(ALSO);

export const SignedOut = z.object({
  sessions: z.int().describe('Ended sessions.'),
  apiKeys: z.int().describe('Disabled API keys.'),
  webhooks: z.int().describe('Disabled webhooks.'),
});
export type SignedOut = z.infer<typeof SignedOut>;

export const signOutEverywhere = defineEndpoint({
  method: 'POST',
  path: '/api/user/sign-out-everywhere',
  access: 'signed-in',
  keyScope: 'none',
  allowedBeforeFactor: true,
  summary: 'End the caller’s sessions, and disable API keys and webhooks by choice',
  description: 'Disabled API keys and webhooks stay listed, so that they can be enabled again.',
  body: SignOut.extend({
    keepThis: z.boolean().default(true).describe('Keep the session of this request.'),
  }),
  response: SignedOut,
});

export const deleteAccount = defineEndpoint({
  method: 'DELETE',
  path: '/api/user',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Delete the account with everything in it',
  description: NEEDS_STEP_UP,
  body: z.strictObject({ password: CurrentPassword.optional() }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
});
