import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { ACCOUNT_PASSWORD_MAX } from '../../plans/limits.ts';
import { Instant } from '../../values/fields.ts';
import { AUTH_BODY_LIMIT, CurrentUser } from '../accounts.ts';
import { PASSKEY_MINUTES, PasskeyAssertion, PasskeyRequest } from './passkeys.ts';

/**
 * How a person proved who they are. `link`: the link of an email. `email-code`: the code that verified a new address.
 * `invitation`: the link of an invitation to register. `oidc`: an OpenID Connect provider.
 */
export const SIGN_IN_METHODS = [
  'password',
  'passkey',
  'totp',
  'recovery-code',
  'link',
  'email-code',
  'invitation',
  'oidc',
] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * What an account can ask for after the password. `passkey`: WebAuthn. `totp`: the code of an authenticator app (RFC
 * 6238).
 */
export const SECOND_FACTORS = ['passkey', 'totp', 'recovery-code'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** Minutes. Calls with the access `step-up` need a sign-in that is not older. */
export const STEP_UP_MINUTES = 15;

/** The proof of a second factor. */
export const FactorProof = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('passkey'), response: PasskeyAssertion }),
  z.strictObject({
    method: z.literal('totp'),
    code: z.string().regex(/^\d{6}$/, 'Please enter the 6-digit code'),
  }),
  z.strictObject({
    method: z.literal('recovery-code'),
    code: z.string().trim().min(1, 'Please enter a recovery code').max(40, 'This is not a recovery code'),
  }),
]);
export type FactorProof = z.infer<typeof FactorProof>;

export const finishSignIn = defineEndpoint({
  method: 'POST',
  path: '/api/login/second-factor',
  access: 'public',
  summary: 'Finish a sign-in with the second factor',
  description:
    'After `POST /api/login` was refused with `second_factor_required`, which names the account’s factors and sets a cookie for five minutes.',
  body: FactorProof,
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});

const PasswordProof = z.strictObject({
  method: z.literal('password'),
  password: z
    .string()
    .min(1, 'Please enter your password.')
    .max(ACCOUNT_PASSWORD_MAX, 'The password is incorrect.'),
});

export const reauthenticate = defineEndpoint({
  method: 'POST',
  path: '/api/reauthenticate',
  access: 'session',
  keyScope: 'none',
  summary: 'Prove again who is signed in, for calls that were refused with `step_up_required`',
  description: `Accounts with a second factor confirm with it, others with the password. Valid for ${STEP_UP_MINUTES} minutes.`,
  body: z.discriminatedUnion('method', [PasswordProof, ...FactorProof.options]),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ validUntil: Instant }),
});

const FOR_ONE_ANSWER = `The answer must follow within ${PASSKEY_MINUTES} minutes, from the same browser (a cookie), and counts once.`;

export const beginPasskeySignIn = defineEndpoint({
  method: 'POST',
  path: '/api/login/passkey/options',
  access: 'public',
  summary: 'Ask for any passkey of this server, to sign in with it',
  description: `For \`navigator.credentials.get()\`. ${FOR_ONE_ANSWER}`,
  compressible: false,
  response: PasskeyRequest,
});

export const signInByPasskey = defineEndpoint({
  method: 'POST',
  path: '/api/login/passkey',
  access: 'public',
  summary: 'Sign in with a passkey alone; it replaces the password and the second factor',
  body: z.strictObject({ response: PasskeyAssertion }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});

export const beginPasskeyFactor = defineEndpoint({
  method: 'POST',
  path: '/api/login/second-factor/passkey',
  access: 'public',
  summary: 'Ask for a passkey of the account as the second factor, for `POST /api/login/second-factor`',
  description: `For a sign-in that was refused with \`second_factor_required\`. ${FOR_ONE_ANSWER}`,
  compressible: false,
  response: PasskeyRequest,
});

export const beginPasskeyConfirmation = defineEndpoint({
  method: 'POST',
  path: '/api/reauthenticate/passkey',
  access: 'session',
  keyScope: 'none',
  summary: 'Ask for a passkey of the caller, for `POST /api/reauthenticate`',
  description: FOR_ONE_ANSWER,
  compressible: false,
  response: PasskeyRequest,
});
