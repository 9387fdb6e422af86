import { Client } from '../../../../../testing/calls/client.ts';
import { HostileProvider } from '../../../../../testing/identity/hostile-provider.ts';
import { addProvider, begin, comeBack } from '../../../../../testing/identity/sso.ts';
import { type Case, type Cases, fail, NORA, type World } from './case.ts';

const set = (changes: Record<string, string>): Case => ({
  answer: (parameters) => new URLSearchParams({ ...Object.fromEntries(parameters), ...changes }),
});
const without = (name: string): Case => ({
  answer: (parameters) => {
    parameters.delete(name);
    return parameters;
  },
});
const errorAnswer = (error: string): Case => ({
  answer: (parameters) =>
    new URLSearchParams({ error, state: parameters.get('state')!, iss: parameters.get('iss')! }),
});
/** What the browser brings back from the provider. */
export const ANSWERS: Cases = {
  'code that was used before': [
    'unverifiable',
    {
      act: async (world) => {
        const { client, provider, server, providerId } = world;
        const url = await begin(client, providerId);
        const used = provider.authorize(url, { ...NORA, email_verified: false });
        await comeBack(client, used);
        const other = server.anonymous();
        const again = provider.authorize(await begin(other, providerId), NORA);
        again.set('code', used.get('code')!);
        return comeBack(other, again);
      },
    },
  ],
  'code of another browser': [
    'unverifiable',
    {
      act: async (world) => {
        const { client, provider, server, providerId } = world;
        const stolen = provider.authorize(await begin(server.anonymous(), providerId), NORA);
        const own = provider.authorize(await begin(client, providerId), NORA);
        own.set('code', stolen.get('code')!);
        return comeBack(client, own);
      },
    },
  ],
  'code of another provider': [
    'unverifiable',
    { answer: async (parameters, world) => borrowCode(parameters, world) },
  ],
  'state that was used before': [
    'expired',
    {
      act: async ({ client, provider, providerId }) => {
        const parameters = provider.authorize(await begin(client, providerId), NORA);
        const cookies = client.jar.list();
        provider.tampering = { tokenEndpoint: fail(400) };
        await comeBack(client, parameters);
        provider.tampering = {};
        for (const cookie of cookies) client.jar.add(cookie);
        return comeBack(client, parameters);
      },
    },
  ],
  'state of another browser': [
    'expired',
    {
      act: async ({ client, provider, providerId, server }) => {
        const parameters = provider.authorize(await begin(client, providerId), NORA);
        return comeBack(server.anonymous(), parameters);
      },
    },
  ],
  'cookie of one sign-in and state of another': [
    'expired',
    {
      act: async ({ client, provider, providerId, server }) => {
        await begin(client, providerId);
        return comeBack(client, provider.authorize(await begin(server.anonymous(), providerId), NORA));
      },
    },
  ],
  'no state': ['expired', without('state')],
  'wrong state': ['expired', set({ state: 'another' })],
  'state twice': [
    'expired',
    {
      answer: (parameters) => {
        parameters.append('state', parameters.get('state')!);
        return parameters;
      },
    },
  ],
  'nothing at all': ['expired', { answer: () => new URLSearchParams() }],
  'no code': ['unverifiable', without('code')],
  'code twice': [
    'unverifiable',
    {
      answer: (parameters) => {
        parameters.append('code', 'another');
        return parameters;
      },
    },
  ],
  'issuer of another provider (RFC 9207)': ['unverifiable', set({ iss: 'https://evil.example' })],
  'no issuer although the provider announces it': ['unverifiable', without('iss')],
  'issuer and code of another provider': [
    'unverifiable',
    {
      answer: async (parameters, world) => {
        const mixed = await borrowCode(parameters, world);
        mixed.set('iss', 'http://127.0.0.1:9');
        return mixed;
      },
    },
  ],
  'a token in the address': ['unverifiable', set({ id_token: 'x.y.z' })],
  'a JWT as the answer': ['unverifiable', set({ response: 'x.y.z' })],
  'access denied': ['cancelled', errorAnswer('access_denied')],
  'error login_required': ['unverifiable', errorAnswer('login_required')],
  'error with markup': ['unverifiable', errorAnswer('<script>alert(1)</script>')],
  'error temporarily_unavailable': ['unreachable', errorAnswer('temporarily_unavailable')],
};

/** The code that another provider gave to the same browser. */
async function borrowCode(parameters: URLSearchParams, world: World): Promise<URLSearchParams> {
  const { server } = world;
  const other = await HostileProvider.start(world.context);
  const { id } = await addProvider(server, other, { clientId: 'other' });
  const foreign = other.authorize(await begin(new Client(server.url), id), NORA);
  await server.context.db.deleteFrom('identityProviders').where('id', '=', id).execute();
  return new URLSearchParams({ ...Object.fromEntries(parameters), code: `${foreign.get('code')}-foreign` });
}
