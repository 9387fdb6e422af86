import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { ACCOUNT_PASSWORD_MIN } from '../../plans/limits.ts';
import { RETENTION } from '../../transfers/retention.ts';

const PASSWORD_MIN_MAX = 64;
const SESSIONS_MAX = 100;

export const SignInPolicy = z.strictObject({
  passwordMinLength: z
    .int('Please enter a whole number')
    .min(ACCOUNT_PASSWORD_MIN, `At least ${ACCOUNT_PASSWORD_MIN} characters`)
    .max(PASSWORD_MIN_MAX, `At most ${PASSWORD_MIN_MAX} characters`)
    .describe('Characters of a new password. Administrators need at least 12.'),
  secondFactor: z
    .enum(['optional', 'administrators', 'everyone'])
    .describe(
      'Who must have a second factor. Without one, they can only set one up; their API keys continue to work.',
    ),
  emailSignIn: z
    .boolean()
    .describe('Whether people may sign in, and register, with a link by email instead of a password.'),
  sessionDays: z
    .int('Please enter a whole number')
    .min(1, 'At least one day')
    .max(RETENTION.sessionDays, `At most ${RETENTION.sessionDays} days`)
    .describe('Days after which a new session ends, however often it is used.'),
  sessionsPerUser: z
    .int('Please enter a whole number')
    .min(1, 'At least one session')
    .max(SESSIONS_MAX, `At most ${SESSIONS_MAX} sessions`)
    .describe('Signing in beyond it ends the oldest session.'),
});
export type SignInPolicy = z.infer<typeof SignInPolicy>;

const SavedSignInPolicy = z.object(SignInPolicy.shape);

export const DEFAULT_SIGN_IN_POLICY: SignInPolicy = {
  passwordMinLength: ACCOUNT_PASSWORD_MIN,
  secondFactor: 'optional',
  emailSignIn: false,
  sessionDays: RETENTION.sessionDays,
  sessionsPerUser: 25,
};

export const getSignInPolicy = defineEndpoint({
  method: 'GET',
  path: '/api/admin/sign-in-policy',
  access: 'admin',
  summary: 'How people sign in',
  response: SavedSignInPolicy,
});

export const updateSignInPolicy = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/sign-in-policy',
  access: 'admin-step-up',
  summary: 'Change how people sign in; applies within five seconds',
  body: SignInPolicy,
  response: SavedSignInPolicy,
});
