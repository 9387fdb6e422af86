import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Id, Instant, requiredText } from '../../values/fields.ts';
import { AUTH_BODY_LIMIT } from '../accounts.ts';
import { PASSKEY_NAME_MAX, Passkey, PasskeyAttestation, PasskeyCreation } from './passkeys.ts';

/** Codes of one set. */
export const RECOVERY_CODES = 10;

export const Factors = z.object({
  hasPassword: z.boolean(),
  passkeys: z.array(Passkey).describe('The oldest first.'),
  app: z
    .object({ since: Instant, lastUsedAt: z.nullable(Instant) })
    .nullable()
    .describe('The authenticator app.'),
  recoveryCodes: z.int().describe('Unused ones.'),
});
export type Factors = z.infer<typeof Factors>;

export const listFactors = defineEndpoint({
  method: 'GET',
  path: '/api/user/factors',
  access: 'signed-in',
  allowedBeforeFactor: true,
  keyScope: 'none',
  summary: 'With what the caller can sign in',
  response: Factors,
});

export const beginTotp = defineEndpoint({
  method: 'POST',
  path: '/api/user/totp',
  access: 'step-up',
  allowedBeforeFactor: true,
  summary: 'A new secret for an authenticator app (RFC 6238); it counts once a code confirmed it',
  compressible: false,
  response: z.object({
    secret: z.string().describe('Base32, for typing in.'),
    uri: z.string().describe('`otpauth://…`, for a QR code.'),
  }),
});

/** Codes are only in the answer that made them. */
const NewRecoveryCodes = z.array(z.string()).describe('Each can be used once instead of another factor.');

export const confirmTotp = defineEndpoint({
  method: 'POST',
  path: '/api/user/totp/confirm',
  access: 'step-up',
  allowedBeforeFactor: true,
  summary: 'Add the authenticator app with a first code of it',
  body: z.strictObject({ code: z.string().regex(/^\d{6}$/, 'Please enter the 6-digit code') }),
  bodyLimit: AUTH_BODY_LIMIT,
  compressible: false,
  response: z.object({
    recoveryCodes: NewRecoveryCodes.optional().describe('Only with the first factor of an account.'),
  }),
});

export const removeTotp = defineEndpoint({
  method: 'DELETE',
  path: '/api/user/totp',
  access: 'step-up',
  summary: 'Remove the authenticator app',
  response: 'empty',
});

export const beginPasskey = defineEndpoint({
  method: 'POST',
  path: '/api/user/passkeys/options',
  access: 'step-up',
  allowedBeforeFactor: true,
  summary: 'Ask for a new passkey, for `navigator.credentials.create()`',
  compressible: false,
  response: PasskeyCreation,
});

export const addPasskey = defineEndpoint({
  method: 'POST',
  path: '/api/user/passkeys',
  access: 'step-up',
  allowedBeforeFactor: true,
  summary: 'Add a new passkey; its name is that of the password manager or the browser',
  body: z.strictObject({ response: PasskeyAttestation }),
  bodyLimit: AUTH_BODY_LIMIT,
  compressible: false,
  response: z.object({
    passkey: Passkey,
    recoveryCodes: NewRecoveryCodes.optional().describe('Only with the first factor of an account.'),
  }),
});

const params = z.object({ id: Id });

export const RenamePasskeyInput = z.strictObject({
  name: requiredText(PASSKEY_NAME_MAX, 'Please enter a name.'),
});

export const renamePasskey = defineEndpoint({
  method: 'PATCH',
  path: '/api/user/passkeys/:id',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Rename a passkey',
  params,
  body: RenamePasskeyInput,
  response: Passkey,
});

export const removePasskey = defineEndpoint({
  method: 'DELETE',
  path: '/api/user/passkeys/:id',
  access: 'step-up',
  summary: 'Remove a passkey',
  params,
  response: 'empty',
});

export const renewRecoveryCodes = defineEndpoint({
  method: 'POST',
  path: '/api/user/recovery-codes',
  access: 'step-up',
  allowedBeforeFactor: true,
  summary: `Make ${RECOVERY_CODES} new recovery codes; older ones become void`,
  compressible: false,
  response: z.object({ recoveryCodes: NewRecoveryCodes }),
});
