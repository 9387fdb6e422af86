import { z } from 'zod';
import { defineEndpoint, type KeyScope } from '../endpoint.ts';
import type { TierName } from '../plans/tiers.ts';
import { Id, Instant, InstantInput, requiredText } from '../values/fields.ts';
import { RECOVERY_REASONS } from './settings.ts';

/** Secret scanners find leaked keys by this prefix. */
export const API_KEY_MARK = 'swk_';
export const API_KEY_NAME_MAX = 100;
export const API_KEYS_MAX = 20;

export const API_KEY_SCOPES = ['read', 'write'] as const satisfies readonly KeyScope[];
const Scopes = z
  .array(z.enum(API_KEY_SCOPES))
  .min(1, 'Please choose at least one scope.')
  .max(10)
  .transform((scopes) => API_KEY_SCOPES.filter((scope) => scopes.includes(scope)));

/** Calls per key and minute, by the owner's plan. */
export const API_CALLS_PER_MINUTE = { free: 0, pro: 600, premium: 3_000 } as const satisfies Record<
  TierName,
  number
>;
/** For calls that transfer bytes. In chunks of 5 MiB this allows 2.6 GB/s, so bandwidth is always the tighter limit. */
export const API_BYTE_CALLS_PER_MINUTE = 30_000;

export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  prefix: z.string().describe('The first characters of the key, to recognize it.'),
  scopes: z.array(z.enum(API_KEY_SCOPES)),
  lastUsedAt: Instant.nullable().describe('Accurate to the minute. Null if never used.'),
  expiresAt: Instant.nullable().describe('Null if it does not expire.'),
  isActive: z.boolean(),
  disabledReason: z
    .enum(RECOVERY_REASONS)
    .nullable()
    .describe('The account recovery that disabled it. Null if none did.'),
  disabledAt: Instant.nullable().describe('When an account recovery disabled it.'),
  createdAt: Instant,
});
export type ApiKey = z.infer<typeof ApiKey>;

export const listApiKeys = defineEndpoint({
  method: 'GET',
  path: '/api/api-keys',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The caller’s API keys, newest first, without the keys themselves',
  response: z.array(ApiKey),
});

const Name = requiredText(API_KEY_NAME_MAX, 'Please give the key a name.');

export const CreateApiKeyInput = z.strictObject({
  name: Name,
  scopes: Scopes.default([...API_KEY_SCOPES]),
  expiresAt: InstantInput.nullish(),
});

export const createApiKey = defineEndpoint({
  method: 'POST',
  path: '/api/api-keys',
  access: 'step-up',
  keyScope: 'none',
  idempotent: true,
  summary: 'Create an API key (Pro and Premium); only this answer contains the key itself',
  body: CreateApiKeyInput,
  compressible: false,
  response: ApiKey.extend({ key: z.string() }),
  status: 201,
});

export const UpdateApiKeyInput = z
  .strictObject({ name: Name.optional(), isActive: z.boolean().optional() })
  .refine((input) => input.name !== undefined || input.isActive !== undefined, 'There is nothing to change.');

export const updateApiKey = defineEndpoint({
  method: 'PATCH',
  path: '/api/api-keys/:id',
  access: 'step-up',
  keyScope: 'none',
  summary: 'Rename an API key, or switch it on or off from the next call on',
  params: z.object({ id: Id }),
  body: UpdateApiKeyInput,
  response: ApiKey,
});

export const deleteApiKey = defineEndpoint({
  method: 'DELETE',
  path: '/api/api-keys/:id',
  access: 'step-up',
  keyScope: 'none',
  summary: 'Delete an API key; later calls with it are refused',
  params: z.object({ id: Id }),
  response: 'empty',
});
