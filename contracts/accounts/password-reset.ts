import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { Email } from '../values/fields.ts';
import { AUTH_BODY_LIMIT, NewPassword } from './accounts.ts';

export const RequestPasswordResetInput = z.object({ email: Email });

export const requestPasswordReset = defineEndpoint({
  method: 'POST',
  path: '/api/password-reset/request',
  access: 'public',
  summary: 'Email a link to set a new password; the response is the same for unknown addresses',
  body: RequestPasswordResetInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
  status: 202,
});

export const confirmPasswordReset = defineEndpoint({
  method: 'POST',
  path: '/api/password-reset/confirm',
  access: 'public',
  summary:
    'Set a new password with the token of the emailed link: ends all sessions, disables API keys and webhooks',
  // Accept any text: malformed tokens get the same error as expired ones.
  body: z.object({ token: z.string().max(200), password: NewPassword }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: 'empty',
});

/** The second password is not sent to the server. */
export const NewPasswordForm = z
  .object({ password: NewPassword, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, {
    path: ['confirmPassword'],
    message: "Passwords don't match",
  });
