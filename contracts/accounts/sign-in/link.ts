import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Email } from '../../values/fields.ts';
import { AUTH_BODY_LIMIT, CurrentUser } from '../accounts.ts';

export const SIGN_IN_LINK_MINUTES = 15;

export const RequestSignInLinkInput = z.strictObject({ email: Email });

export const requestSignInLink = defineEndpoint({
  method: 'POST',
  path: '/api/login/link/request',
  access: 'public',
  summary: 'Email a link to sign in; the response is the same for unknown addresses',
  description:
    'Only if the administrator allows it. Where people may register, the link to an unknown address creates an account.',
  body: RequestSignInLinkInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
  status: 202,
});

export const signInByLink = defineEndpoint({
  method: 'POST',
  path: '/api/login/link',
  access: 'public',
  summary: 'Sign in with the token of an emailed link, once',
  // Accept any text: malformed tokens get the same error as expired ones.
  body: z.strictObject({ token: z.string().max(200) }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: CurrentUser,
});
