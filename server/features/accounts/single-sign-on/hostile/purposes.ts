import assert from 'node:assert/strict';
import {
  beginLinkIdentity,
  beginSsoConfirmation,
} from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { updateIdentityProvider } from '../../../../../contracts/admin/identity-providers.ts';
import { nowInSeconds, type Person } from '../../../../../testing/identity/hostile-provider.ts';
import { begin, comeBack } from '../../../../../testing/identity/sso.ts';
import { type Cases, FRIDA, linkTo, NORA, type World } from './case.ts';

/** Links and confirmations that end elsewhere than they began, and providers that went away. */
export const PURPOSES: Cases = {
  'link in a browser without a session': [
    'signed-out',
    {
      act: async ({ server, provider, providerId, client }) => {
        const frida = await server.signIn('frida');
        const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
        const cookie = frida.jar.list().find(({ name }) => name === 'sendwell_sso')!;
        client.jar.add(cookie);
        return comeBack(client, provider.authorize(url, NORA));
      },
    },
  ],
  'link in the session of somebody else': [
    'signed-out',
    {
      act: async ({ server, provider, providerId }) => {
        const [frida, paula] = [await server.signIn('frida'), await server.signIn('prem')];
        const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
        paula.jar.add(frida.jar.list().find(({ name }) => name === 'sendwell_sso')!);
        return comeBack(paula, provider.authorize(url, NORA));
      },
    },
  ],
  'link by a session that has ended': [
    'signed-out',
    {
      act: async ({ server, provider, providerId }) => {
        const frida = await server.signIn('frida');
        const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
        await server.context.db.deleteFrom('sessions').where('userId', '=', server.userId('frida')).execute();
        return comeBack(frida, provider.authorize(url, NORA));
      },
    },
  ],
  'link of a sign-in that belongs to another account': [
    'linked-elsewhere',
    {
      prepare: (world) => linkTo(world, 'frida'),
      act: async ({ server, provider, providerId }) => {
        const prem = await server.signIn('prem');
        const { url } = await prem.call(beginLinkIdentity, { body: { providerId } });
        return comeBack(prem, provider.authorize(url, FRIDA));
      },
    },
  ],
  'sign-in that comes back into a session does not link': [
    'email-unverified',
    {
      act: async ({ server, provider, providerId }) => {
        const frida = await server.signIn('frida');
        const url = await begin(frida, providerId);
        return comeBack(frida, provider.authorize(url, { ...NORA, email_verified: false }));
      },
    },
  ],
  'confirmation by another person': [
    'other-identity',
    {
      prepare: (world) => linkTo(world, 'frida'),
      act: (world) => confirmAs(world, { ...NORA, auth_time: nowInSeconds() }),
    },
  ],
  'confirmation by somebody remembered': [
    'not-confirmed',
    {
      prepare: (world) => linkTo(world, 'frida'),
      act: (world) => confirmAs(world, { ...FRIDA, auth_time: nowInSeconds() - 3_600 }),
    },
  ],
  'confirmation without the time': [
    'not-confirmed',
    { prepare: (world) => linkTo(world, 'frida'), act: (world) => confirmAs(world, FRIDA) },
  ],
  'provider deleted on the way': [
    'provider-off',
    {
      act: async (world) => {
        const url = await begin(world.client, world.providerId);
        await world.server.context.db.deleteFrom('identityProviders').execute();
        return comeBack(world.client, world.provider.authorize(url, NORA));
      },
    },
  ],
  'provider turned off on the way': [
    'provider-off',
    {
      act: async ({ client, server, provider, providerId }) => {
        const url = await begin(client, providerId);
        const ada = await server.signIn('ada');
        await ada.call(updateIdentityProvider, { params: { id: providerId }, body: { isEnabled: false } });
        return comeBack(client, provider.authorize(url, NORA));
      },
    },
  ],
};

async function confirmAs({ server, provider }: World, person: Person): Promise<string> {
  const frida = await server.signIn('frida');
  const body = { identityId: `frida${'0'.repeat(21)}`, returnTo: '/dashboard/settings' };
  const { url } = await frida.call(beginSsoConfirmation, { body });
  const location = await comeBack(frida, provider.authorize(url, person));
  assert.match(location, /^\/dashboard\/settings\?/);
  return location;
}
