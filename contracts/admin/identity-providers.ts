import { z } from 'zod';
import { MailDomains } from '../accounts/registration.ts';
import { defineEndpoint } from '../endpoint.ts';
import { Id, Instant, isStorableText, requiredText } from '../values/fields.ts';

export const PROVIDERS_MAX = 20;
export const PROVIDER_NAME_MAX = 60;
const CLIENT_ID_MAX = 255;
const SECRET_MAX = 1_000;
const ISSUER_MAX = 500;

/** The exact identifier that the provider announces. Whether plain http is allowed depends on the server. */
export const Issuer = z
  .string()
  .trim()
  .min(1, 'Please enter the issuer.')
  .max(ISSUER_MAX, `Please use at most ${ISSUER_MAX} characters.`)
  .refine(isIssuer, 'Please enter an address such as https://login.example.org without ? or #.');

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !search && !hash && !username && !password && !/[?#\s]/.test(text);
}

export const ClientId = z
  .string()
  .trim()
  .min(1, 'Please enter the client ID.')
  .max(CLIENT_ID_MAX, `Please use at most ${CLIENT_ID_MAX} characters.`)
  .refine((text) => /^[\x21-\x7e]+$/.test(text), 'A client ID has only visible ASCII characters.');

export const ClientSecret = z
  .string()
  .min(1, 'Please enter the client secret.')
  .max(SECRET_MAX, `Please use at most ${SECRET_MAX} characters.`)
  .refine(isStorableText, 'This secret contains characters that cannot be used.');

export const ProviderName = requiredText(PROVIDER_NAME_MAX, 'Please enter the text of the button.');

const ProviderFields = z.object({
  name: ProviderName.describe('After “Continue with” on the button.'),
  clientId: ClientId,
  clientSecret: ClientSecret.nullish().describe(
    'Stored sealed and never shown. Null: a public client. Omitted in a change: stays as it is.',
  ),
  domains: MailDomains.describe('Email domains in which accounts may be created. Empty: all.'),
  mayCreateAccounts: z
    .boolean()
    .describe(
      'Whether people with a confirmed email address get an account, regardless of who may register.',
    ),
  isRequiredForDomains: z
    .boolean()
    .describe(
      'Whether accounts in these domains must use this provider. Administrators with a password are exempt.',
    ),
  trustsSecondFactor: z
    .boolean()
    .describe('Whether an account’s second factor is skipped if the provider says that it asked for one.'),
  isEnabled: z.boolean(),
});

const requiresDomains = {
  path: ['domains'],
  message: 'Please enter at least one domain',
};

export const CreateIdentityProviderInput = z
  .strictObject({
    issuer: Issuer,
    ...ProviderFields.shape,
    domains: MailDomains.default([]),
    mayCreateAccounts: z.boolean().default(false),
    isRequiredForDomains: z.boolean().default(false),
    trustsSecondFactor: z.boolean().default(false),
    isEnabled: z.boolean().default(true),
  })
  .refine((input) => !input.isRequiredForDomains || input.domains.length > 0, requiresDomains);
export type CreateIdentityProviderInput = z.output<typeof CreateIdentityProviderInput>;

/** The issuer is fixed, because linked accounts belong to it. */
export const UpdateIdentityProviderInput = z
  .strictObject(ProviderFields.partial().shape)
  .refine((input) => !(input.isRequiredForDomains && input.domains?.length === 0), requiresDomains)
  .describe('Omitted fields stay as they are.');
export type UpdateIdentityProviderInput = z.output<typeof UpdateIdentityProviderInput>;

export const ProviderDomain = z.object({
  domain: z.string(),
  isProved: z
    .boolean()
    .describe('Proved domains may link an existing account by its confirmed email address.'),
  provedAt: z.nullable(Instant),
  checkedAt: z.nullable(Instant),
  problem: z
    .enum(['missing', 'unreachable'])
    .nullable()
    .describe('Of the last check. `missing`: no such record. `unreachable`: the DNS did not answer.'),
  record: z
    .object({ name: z.string(), value: z.string() })
    .describe('The TXT record that proves the domain.'),
});
export type ProviderDomain = z.infer<typeof ProviderDomain>;

export const AdminIdentityProvider = z.object({
  id: z.string(),
  source: z.enum(['environment', 'admin']).describe('Providers of the environment cannot be changed here.'),
  issuer: z.string(),
  clientId: z.string(),
  hasSecret: z.boolean(),
  name: z.string(),
  domains: z.array(ProviderDomain),
  mayCreateAccounts: z.boolean(),
  isRequiredForDomains: z.boolean(),
  trustsSecondFactor: z.boolean(),
  isEnabled: z.boolean(),
  linkedAccounts: z.int(),
  createdAt: z.nullable(Instant).describe('Null: of the environment.'),
  updatedAt: z.nullable(Instant),
});
export type AdminIdentityProvider = z.infer<typeof AdminIdentityProvider>;

const ById = z.object({ id: Id });

export const listIdentityProviders = defineEndpoint({
  method: 'GET',
  path: '/api/admin/identity-providers',
  access: 'admin',
  summary: 'The OpenID Connect providers, and the addresses to enter there',
  response: z.object({
    redirectUri: z.string(),
    backchannelLogoutUri: z.string(),
    postLogoutRedirectUri: z.string(),
    providers: z.array(AdminIdentityProvider).describe('The one of the environment first, then the oldest.'),
  }),
});

export const createIdentityProvider = defineEndpoint({
  method: 'POST',
  path: '/api/admin/identity-providers',
  access: 'admin-step-up',
  idempotent: true,
  summary: `Add an OpenID Connect provider, at most ${PROVIDERS_MAX}`,
  body: CreateIdentityProviderInput,
  compressible: false,
  response: AdminIdentityProvider,
  status: 201,
});

export const updateIdentityProvider = defineEndpoint({
  method: 'PATCH',
  path: '/api/admin/identity-providers/:id',
  access: 'admin-step-up',
  summary: 'Change an OpenID Connect provider; applies at once',
  params: ById,
  body: UpdateIdentityProviderInput,
  compressible: false,
  response: AdminIdentityProvider,
});

export const deleteIdentityProvider = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/identity-providers/:id',
  access: 'admin-step-up',
  summary: 'Delete a provider with its links to accounts, and end the sessions that it started',
  params: ById,
  response: 'empty',
});

export const ProviderTest = z.object({
  isUsable: z.boolean(),
  problems: z.array(z.string()).describe('Sentences; empty if the provider can be used.'),
  authorizationEndpoint: z.nullable(z.string()),
  signingAlgorithms: z.array(z.string()),
  supportsLogout: z.boolean().describe('Whether signing out here can sign out there.'),
  supportsBackchannelLogout: z.boolean().describe('Whether signing out there can sign out here.'),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

export const testIdentityProvider = defineEndpoint({
  method: 'POST',
  path: '/api/admin/identity-providers/test',
  access: 'admin-step-up',
  summary: 'Fetch the discovery document and the keys of an issuer, and say whether it can be used',
  body: z.strictObject({ issuer: Issuer }),
  response: ProviderTest,
});

export const checkProviderDomain = defineEndpoint({
  method: 'POST',
  path: '/api/admin/identity-providers/:id/domains/check',
  access: 'admin-step-up',
  summary: 'Look up the TXT record that proves a domain of a provider',
  params: ById,
  body: z.strictObject({ domain: z.string().trim().min(1, 'Please enter a domain').max(254).toLowerCase() }),
  response: AdminIdentityProvider,
});
