import { CAST } from '../../../../../testing/cast.ts';
import type { Person } from '../../../../../testing/identity/hostile-provider.ts';
import { addProvider, proveDomain } from '../../../../../testing/identity/sso.ts';
import { type Cases, claims, FRIDA, linkTo, NORA } from './case.ts';

const ADA: Person = { sub: 'ada-1', email: CAST.ada.email, email_verified: true };

/** Proved identities that may not become this account. */
export const PEOPLE: Cases = {
  'address not verified': ['email-unverified', claims({ email_verified: false })],
  'nothing about the address’s verification': ['email-unverified', claims({ email_verified: undefined })],
  'address verified as text': ['email-unverified', claims({ email_verified: 'true' })],
  'address verified as a number': ['email-unverified', claims({ email_verified: 1 })],
  'no address': ['email-unverified', { person: { sub: 'nora-1', email_verified: true } }],
  'address as a list': ['email-unverified', claims({ email: [CAST.frida.email] })],
  'two addresses in one': ['email-unverified', claims({ email: `${CAST.frida.email},nora@example.net` })],
  'address with a line break': [
    'email-unverified',
    claims({ email: 'nora@example.net\nBcc: x@example.net' }),
  ],
  'address of an account, not verified': [
    'email-unverified',
    { person: { ...FRIDA, email_verified: false } },
  ],
  'address of an account as the preferred username': [
    'email-unverified',
    { person: { sub: 'x', preferred_username: CAST.frida.email, email_verified: true } },
  ],
  'address of an account': ['account-exists', { person: FRIDA }],
  'address of an account in capitals': [
    'account-exists',
    { person: { ...FRIDA, email: CAST.frida.email.toUpperCase() } },
  ],
  'address of an account in a domain that is not proved': [
    'account-exists',
    { person: FRIDA, settings: { domains: ['example.org'] } },
  ],
  'domain proved for another provider': [
    'account-exists',
    {
      person: FRIDA,
      settings: { domains: ['example.org'] },
      prepare: ({ server }) => proveDomain(server, '0'.repeat(26), 'example.org'),
    },
  ],
  'proved domain that is no longer one of the provider': [
    'account-exists',
    {
      person: FRIDA,
      settings: { domains: ['example.net'] },
      prepare: ({ server, providerId }) => proveDomain(server, providerId, 'example.org'),
    },
  ],
  'address of an administrator in a proved domain': [
    'account-exists',
    {
      person: ADA,
      settings: { domains: ['example.org'] },
      prepare: ({ server, providerId }) => proveDomain(server, providerId, 'example.org'),
    },
  ],
  'another subject with the address of a linked one': [
    'account-exists',
    { person: { ...FRIDA, sub: 'frida-2' }, prepare: (world) => linkTo(world, 'frida') },
  ],
  'account that was deleted': [
    'no-account',
    {
      person: { ...NORA, sub: 'paula-1' },
      prepare: async (world) => {
        await linkTo(world, 'paula');
        const { server } = world;
        await server.context.db
          .updateTable('users')
          .set({ deletedAt: 1 })
          .where('id', '=', server.userId('paula'))
          .execute();
      },
    },
  ],
  'accounts are not created': ['no-account', { settings: { mayCreateAccounts: false } }],
  'address outside the domains': ['domain-not-allowed', { settings: { domains: ['example.org'] } }],
  'domain that needs another provider': [
    'domain-not-allowed',
    {
      prepare: async ({ server }) => {
        const settings = { domains: ['example.net'], isRequiredForDomains: true };
        await addProvider(server, { issuer: 'http://127.0.0.1:9' }, settings);
      },
    },
  ],
};
