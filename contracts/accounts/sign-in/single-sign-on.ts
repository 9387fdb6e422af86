import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { readReturnPath } from '../../values/addresses/return-path.ts';
import { Email, Id, Instant } from '../../values/fields.ts';
import { AUTH_BODY_LIMIT } from '../accounts.ts';

/** Minutes in which a person must come back from the provider. */
export const SSO_MINUTES = 10;
const RETURN_PATH_MAX = 2_000;

/**
 * How a visit to a provider ended, as `?sso=…` of the page that opens then. `{name}` is the provider's name; the page
 * finds it with `?provider=` in `listSignInProviders`. Sign-ins that succeed open the page asked for, without `?sso=`.
 */
export const SSO_OUTCOMES = {
  'second-factor': 'Please confirm that it’s you with your second factor.',
  linked: 'You can now sign in with {name}.',
  confirmed: 'Thank you, that’s confirmed.',
  cancelled: 'The sign-in with {name} was cancelled.',
  expired: 'This sign-in has expired, or it was started in another browser. Please start again.',
  unreachable: '{name} can’t be reached right now. Try again in a few minutes.',
  unverifiable: 'The answer of {name} could not be verified. Please try again, or ask your administrator.',
  'provider-off': 'Signing in with {name} is turned off here.',
  'account-exists':
    'An account with this email address exists. Sign in with your password, then link {name} in Settings › Security.',
  'no-account': 'There is no account for you here yet. Please ask your administrator for one.',
  'domain-not-allowed':
    'Your email address is not allowed to sign in with {name}. Please ask your administrator.',
  'email-unverified':
    '{name} has not confirmed your email address. If you have an account here, sign in with your password, then link {name} in Settings › Security.',
  'linked-elsewhere': 'This sign-in of {name} is linked to another account already.',
  'signed-out': 'You were signed out in the meantime. Please sign in and try again.',
  'other-identity': 'This is another account at {name} than the one that is linked here.',
  'not-confirmed': '{name} did not ask you to sign in again, so this could not be confirmed.',
  'too-many': 'Too many attempts. Please wait a few minutes and try again.',
  failed: 'Something went wrong on our side. Please try again.',
} as const;
export type SsoOutcome = keyof typeof SSO_OUTCOMES;

/** A path of this installation; any other text counts as absent. */
const ReturnPath = z
  .string()
  .max(RETURN_PATH_MAX, `Please use at most ${RETURN_PATH_MAX} characters.`)
  .transform(readReturnPath)
  .optional()
  .describe('The page to open afterwards: a path of this installation.');

export const SignInProvider = z.object({ id: z.string(), name: z.string().describe('For the button.') });
export type SignInProvider = z.infer<typeof SignInProvider>;

export const listSignInProviders = defineEndpoint({
  method: 'GET',
  path: '/api/sign-in/providers',
  access: 'public',
  summary: 'The OpenID Connect providers with which people can sign in',
  response: z.array(SignInProvider),
});

export const beginSsoSignIn = defineEndpoint({
  method: 'POST',
  path: '/api/sign-in/sso',
  access: 'public',
  summary: 'Begin a sign-in at an OpenID Connect provider',
  description: `Open \`url\` in the same browser within ${SSO_MINUTES} minutes. With an email address, the provider that is required for its domain; the answer depends on the domain alone. After it, the browser opens \`returnTo\`, or \`/auth?sso=…\` with the reason why not.`,
  body: z
    .strictObject({ providerId: Id.optional(), email: Email.optional(), returnTo: ReturnPath })
    .refine(
      ({ providerId, email }) => (providerId === undefined) !== (email === undefined),
      'Send a provider or an email address.',
    ),
  bodyLimit: AUTH_BODY_LIMIT,
  compressible: false,
  response: z.object({
    url: z.nullable(z.string()).describe('Null: no provider is required for the domain.'),
  }),
});

/** Where providers send browsers back to, which then redirects to a page. For browsers, so it has no contract. */
export const SSO_CALLBACK_PATH = '/api/sign-in/sso/callback';

/**
 * Where providers report that somebody signed out there (OpenID Connect Back-Channel Logout 1.0). That standard fixes
 * request and response, so it has no contract.
 */
export const BACKCHANNEL_LOGOUT_PATH = '/api/sign-in/sso/backchannel-logout';

export const ExternalIdentity = z.object({
  id: z.string(),
  provider: SignInProvider,
  isUsable: z.boolean().describe('False while the provider is turned off.'),
  email: z.nullable(z.string()).describe('As the provider reported it when the sign-in was linked.'),
  createdAt: Instant,
  lastUsedAt: z.nullable(Instant),
});
export type ExternalIdentity = z.infer<typeof ExternalIdentity>;

export const listIdentities = defineEndpoint({
  method: 'GET',
  path: '/api/user/identities',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The sign-ins of OpenID Connect providers that are linked to the caller’s account',
  response: z.array(ExternalIdentity),
});

export const beginLinkIdentity = defineEndpoint({
  method: 'POST',
  path: '/api/user/identities',
  access: 'step-up',
  summary: 'Begin to link a sign-in of an OpenID Connect provider',
  description:
    'Open `url` in the same browser. Afterwards the browser opens Settings › Security with `?sso=linked&provider=…`, or another outcome.',
  body: z.strictObject({ providerId: Id }),
  compressible: false,
  response: z.object({ url: z.string() }),
});

export const unlinkIdentity = defineEndpoint({
  method: 'DELETE',
  path: '/api/user/identities/:id',
  access: 'step-up',
  summary:
    'Unlink a sign-in, unless it is the last way to sign in; ends the sessions that it started elsewhere',
  params: z.object({ id: Id }),
  response: 'empty',
});

export const beginSsoConfirmation = defineEndpoint({
  method: 'POST',
  path: '/api/reauthenticate/sso',
  access: 'session',
  keyScope: 'none',
  summary: 'Begin to prove again who is signed in, at a linked OpenID Connect provider',
  description:
    'For accounts without a second factor. Open `url` in the same browser. Afterwards the browser opens `returnTo` with `?sso=confirmed&provider=…`, or another outcome.',
  body: z.strictObject({ identityId: Id, returnTo: ReturnPath }),
  compressible: false,
  response: z.object({ url: z.string() }),
});
