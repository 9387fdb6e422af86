import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ACCOUNT_PASSWORD_MAX, ACCOUNT_PASSWORD_MIN } from '../plans/limits.ts';
import { TierName } from '../plans/tiers.ts';
import { Email, Instant, isStorableText, Language, requiredText } from '../values/fields.ts';
import { KIB } from '../values/sizes.ts';

/** Bytes. For calls that take a password or a code. */
export const AUTH_BODY_LIMIT = 64 * KIB;

export const Username = z
  .string()
  .trim()
  .min(1, 'Username is required')
  .regex(/^[a-z0-9._-]{3,32}$/i, 'Use 3 to 32 letters, digits, dots, dashes or underscores.');

export const NewPassword = z
  .string()
  .min(1, 'Password is required')
  .min(ACCOUNT_PASSWORD_MIN, `Please use at least ${ACCOUNT_PASSWORD_MIN} characters.`)
  .max(ACCOUNT_PASSWORD_MAX, `Please use at most ${ACCOUNT_PASSWORD_MAX} characters.`)
  .refine(isStorableText, 'This password contains characters that cannot be used.');

export const CurrentUser = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  isAdmin: z.boolean(),
  tier: TierName,
  createdAt: Instant,
  mustAddFactor: z
    .literal(true)
    .optional()
    .describe(
      'The administrator requires a second factor, and the account has none: other calls are refused.',
    ),
  language: Language.nullable()
    .default(null)
    .describe('Of the pages and of mails to the account. null: not known yet, or a server of 0.1.0.'),
  hasMailServer: z
    .boolean()
    .optional()
    .describe(
      'For administrators: whether emails leave this server. Without a mail server they stay in the outbox.',
    ),
});
export type CurrentUser = z.infer<typeof CurrentUser>;

export const getCurrentUser = defineEndpoint({
  method: 'GET',
  path: '/api/user',
  access: 'session',
  keyScope: 'read',
  summary: 'The signed-in user',
  response: CurrentUser,
});

/** For usernames and passwords that no account can have. */
const WRONG_CREDENTIALS = 'Incorrect username or password.';

export const LoginInput = z.object({
  username: z
    .string()
    .min(1, 'Username is required')
    .max(320, WRONG_CREDENTIALS)
    .refine(isStorableText, WRONG_CREDENTIALS),
  password: z.string().min(1, 'Password is required').max(ACCOUNT_PASSWORD_MAX, WRONG_CREDENTIALS),
});

export const login = defineEndpoint({
  method: 'POST',
  path: '/api/login',
  access: 'public',
  summary: 'Sign in',
  body: LoginInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});

export const InvitationToken = z
  .string()
  .min(1)
  .max(200)
  .refine(isStorableText, 'This invitation is not valid.');

export const RegisterInput = z.object({
  name: requiredText(100, 'Name is required'),
  username: Username,
  email: Email,
  password: NewPassword,
  invitationToken: InvitationToken.optional().describe(
    'The token of an invitation to register. It proves the address, so no code is needed: the account is verified and signed in at once.',
  ),
});

export const register = defineEndpoint({
  method: 'POST',
  path: '/api/register',
  access: 'public',
  summary: 'Create an account; a code is sent to its email address unless it was invited',
  body: RegisterInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
  status: 201,
});

/** Some form fields are not sent to the server. */
export const RegisterForm = RegisterInput.extend({
  confirmPassword: z.string(),
  acceptTerms: z.literal(true, 'You must accept the Terms of Service and Privacy Policy'),
}).refine((form) => form.password === form.confirmPassword, {
  path: ['confirmPassword'],
  message: "Passwords don't match",
  // Report the mismatch even while other fields are invalid.
  when: ({ value }) =>
    z.object({ password: z.string(), confirmPassword: z.string() }).safeParse(value).success,
});

export const logout = defineEndpoint({
  method: 'POST',
  path: '/api/logout',
  access: 'public',
  summary: 'End this session',
  compressible: false,
  response: z.object({
    logoutUrl: z
      .string()
      .optional()
      .describe(
        'Signs out at the OpenID Connect provider with which the session began; for the browser to open.',
      ),
  }),
});

export const VerifyEmailInput = z.object({
  code: z.string().regex(/^\d{6}$/, 'Please enter the 6-digit code'),
});

export const verifyEmail = defineEndpoint({
  method: 'POST',
  path: '/api/verify-email',
  access: 'pending',
  summary: 'Verify the email address with the code that was sent',
  body: VerifyEmailInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});

export const sendVerificationCode = defineEndpoint({
  method: 'POST',
  path: '/api/send-verification-code',
  access: 'pending',
  summary: 'Send a new code; older ones become void',
  response: 'empty',
});

export const getMonthlyUsage = defineEndpoint({
  method: 'GET',
  path: '/api/user/monthly-usage',
  access: 'signed-in',
  summary: 'Bytes completed or reserved in this calendar month (UTC)',
  response: z.object({ usage: z.int() }),
});
