import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { Instant } from '../values/fields.ts';
import { SIGN_IN_METHODS } from './sign-in/sign-in.ts';

/** What the owner of an account sees in "Recent activity". */
export const ACCOUNT_EVENT_KINDS = [
  'sign-in',
  'sign-in-new-device',
  'second-factor-added',
  'second-factor-removed',
  'second-factor-reset',
  'recovery-codes-created',
  'recovery-code-used',
  'passkey-refused',
  'identity-linked',
  'identity-unlinked',
  'password-changed',
  'password-reset',
  'email-changed',
  'email-change-undone',
  'api-key-created',
  'api-key-changed',
  'api-key-deleted',
  'webhook-created',
  'webhook-changed',
  'webhook-secret-rotated',
  'webhook-deleted',
  'sessions-ended',
  'account-secured',
] as const;
export type AccountEventKind = (typeof ACCOUNT_EVENT_KINDS)[number];

/** Older events of an account are deleted. */
export const ACCOUNT_EVENTS_MAX = 200;
const PAGE_MAX = 100;
export const ACCOUNT_EVENTS_PER_PAGE = 20;

export const AccountEvent = z.object({
  id: z.string(),
  kind: z.enum(ACCOUNT_EVENT_KINDS),
  createdAt: Instant,
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  country: z.string().nullable().describe('ISO 3166-1 alpha-2, looked up from the address.'),
  city: z.string().nullable(),
  method: z.enum(SIGN_IN_METHODS).nullable().describe('How the person signed in, or the factor concerned.'),
  name: z
    .string()
    .nullable()
    .describe('The name of the key, the webhook’s host, or the name of the factor or provider.'),
});
export type AccountEvent = z.infer<typeof AccountEvent>;

export const listAccountEvents = defineEndpoint({
  method: 'GET',
  path: '/api/user/events',
  access: 'session',
  keyScope: 'none',
  summary: 'What happened to the account: sign-ins and changes of its security, newest first',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(PAGE_MAX).optional().describe('20 by default.'),
    cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
  }),
  paged: true,
  response: z.array(AccountEvent),
});
