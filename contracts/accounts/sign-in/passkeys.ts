import { z } from 'zod';
import { Instant } from '../../values/fields.ts';

/** Per account. */
export const PASSKEYS_MAX = 20;
export const PASSKEY_NAME_MAX = 60;
/** Minutes in which the answer of a passkey must follow its request. */
export const PASSKEY_MINUTES = 5;

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  isSynced: z.boolean().describe('Whether a password manager keeps a copy of it for other devices.'),
  createdAt: Instant,
  lastUsedAt: z.nullable(Instant),
});
export type Passkey = z.infer<typeof Passkey>;

const base64Url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, 'This is not base64url.');

/** WebAuthn limits it to 1,023 bytes. */
const CredentialId = base64Url(1_364);
const ClientData = base64Url(4_096);

/** What browsers add and the server doesn't use. */
const IGNORED = {
  rawId: CredentialId.optional(),
  authenticatorAttachment: z.string().max(40).nullish(),
  clientExtensionResults: z.looseObject({}).optional(),
};

/** `AuthenticationResponseJSON` of WebAuthn: `PublicKeyCredential.toJSON()` of a passkey that was used. */
export const PasskeyAssertion = z
  .strictObject({
    ...IGNORED,
    id: CredentialId,
    type: z.literal('public-key'),
    response: z.strictObject({
      clientDataJSON: ClientData,
      authenticatorData: base64Url(4_096),
      signature: base64Url(2_048),
      userHandle: z
        .string()
        .max(88)
        .regex(/^[\w-]*$/)
        .nullish(),
    }),
  })
  .describe('`AuthenticationResponseJSON` of WebAuthn.');
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** `RegistrationResponseJSON` of WebAuthn: `PublicKeyCredential.toJSON()` of a new passkey. */
export const PasskeyAttestation = z
  .strictObject({
    ...IGNORED,
    id: CredentialId,
    type: z.literal('public-key'),
    response: z.strictObject({
      clientDataJSON: ClientData,
      attestationObject: base64Url(16_384),
      authenticatorData: base64Url(8_192).optional(),
      transports: z.array(z.string().max(40)).max(10).optional(),
      publicKey: base64Url(4_096).nullish(),
      publicKeyAlgorithm: z.int().optional(),
    }),
  })
  .describe('`RegistrationResponseJSON` of WebAuthn.');
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>;

const Credential = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int().describe('Milliseconds.'),
  userVerification: z.enum(['required', 'preferred']),
  allowCredentials: z.array(Credential).describe('Empty: any passkey of this server.'),
});
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const PasskeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int().describe('Milliseconds.'),
  attestation: z.literal('none'),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  excludeCredentials: z.array(Credential),
});
export type PasskeyCreation = z.infer<typeof PasskeyCreation>;
