import { z } from 'zod';
import { AdminPage } from '../admin/pages.ts';
import { defineEndpoint } from '../endpoint.ts';
import { Email, Id, Instant } from '../values/fields.ts';
import { AUTH_BODY_LIMIT, InvitationToken } from './accounts.ts';

export const REGISTRATION_MODES = ['open', 'domains', 'invite', 'closed'] as const;
/** `domains`: addresses of these domains, and invited people. `invite`: invited people only. */
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];

export const ACCOUNT_INVITATION_DAYS = 7;
const DOMAINS_MAX = 100;

/** Case-insensitive. `@example.org` means the same; subdomains are different domains. */
const MailDomain = z
  .string()
  .trim()
  .max(254, 'This domain is too long')
  .transform((text) => text.replace(/^@/, '').toLowerCase())
  .refine((domain) => isMailDomain(domain), 'Please enter domains such as example.org');

export const MailDomains = z
  .array(MailDomain)
  .max(DOMAINS_MAX, `At most ${DOMAINS_MAX} domains`)
  .transform((domains) => [...new Set(domains)]);

function isMailDomain(domain: string): boolean {
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(domain);
}

export function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}

export const findAccountInvitation = defineEndpoint({
  method: 'POST',
  path: '/api/register/invitation',
  access: 'public',
  summary: 'The email address that an invitation to register is for',
  description: 'For the sign-up form that the link of an invitation opens.',
  body: z.object({ token: InvitationToken }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ email: z.string(), expiresAt: Instant }),
});

const RegistrationSettings = z.strictObject({
  mode: z.enum(REGISTRATION_MODES),
  domains: MailDomains,
  visitorDomains: MailDomains.describe(
    'Domains whose addresses may upload through upload invitations. Empty: all.',
  ),
});

export const RegistrationInput = RegistrationSettings.refine(
  ({ mode, domains }) => mode !== 'domains' || domains.length > 0,
  { path: ['domains'], message: 'Please enter at least one domain' },
).describe('Who may register.');
export type RegistrationInput = z.output<typeof RegistrationInput>;

export const AdminRegistration = RegistrationSettings.extend({
  source: z.enum(['environment', 'admin']).describe('`environment`: no administrator has changed it.'),
  configured: z
    .object({ mode: z.enum(REGISTRATION_MODES), domains: z.array(z.string()) })
    .describe('The values of `REGISTRATION` and `REGISTRATION_DOMAINS`.'),
});
export type AdminRegistration = z.infer<typeof AdminRegistration>;

export const getRegistration = defineEndpoint({
  method: 'GET',
  path: '/api/admin/registration',
  access: 'admin',
  summary: 'Who may register',
  response: AdminRegistration,
});

export const updateRegistration = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/registration',
  access: 'admin-step-up',
  summary: 'Change who may register; applies from the next request on and overrides the environment',
  body: RegistrationInput,
  response: AdminRegistration,
});

export const AccountInvitation = z.object({
  id: z.string(),
  email: z.string(),
  status: z.enum(['open', 'expired', 'accepted']).describe('`accepted`: someone registered with it.'),
  invitedBy: z.string(),
  createdAt: Instant,
  sentAt: Instant,
  expiresAt: Instant,
  acceptedAt: z.nullable(Instant),
});
export type AccountInvitation = z.infer<typeof AccountInvitation>;

const AccountInvitationParams = z.object({ id: Id });

export const listAccountInvitations = defineEndpoint({
  method: 'GET',
  path: '/api/admin/account-invitations',
  access: 'admin',
  summary: 'Invitations to register, newest first',
  query: AdminPage,
  paged: true,
  response: z.array(AccountInvitation),
});

export const createAccountInvitation = defineEndpoint({
  method: 'POST',
  path: '/api/admin/account-invitations',
  access: 'admin-step-up',
  summary: `Invite someone to register; the link goes to the address and lasts ${ACCOUNT_INVITATION_DAYS} days`,
  body: z.strictObject({ email: Email }),
  response: AccountInvitation,
  status: 201,
  idempotent: true,
});

export const resendAccountInvitation = defineEndpoint({
  method: 'POST',
  path: '/api/admin/account-invitations/:id/resend',
  access: 'admin-step-up',
  summary: 'Send a new link with the full lifetime; the old link becomes void',
  params: AccountInvitationParams,
  response: AccountInvitation,
});

export const revokeAccountInvitation = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/account-invitations/:id',
  access: 'admin-step-up',
  summary: 'Revoke an invitation; its link becomes void',
  params: AccountInvitationParams,
  response: 'empty',
});
