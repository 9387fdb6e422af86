import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser } from '../../../../../contracts/accounts/accounts.ts';
import { deleteAccount } from '../../../../../contracts/accounts/settings.ts';
import {
  beginLinkIdentity,
  listIdentities,
  listSignInProviders,
  unlinkIdentity,
} from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import {
  checkProviderDomain,
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  testIdentityProvider,
  updateIdentityProvider,
} from '../../../../../contracts/admin/identity-providers.ts';
import { DAY_MS } from '../../../../../contracts/values/durations.ts';
import { renewSessions } from '../../../../../testing/calls/renewed-sessions.ts';
import { PASSWORD } from '../../../../../testing/cast.ts';
import { startDnsServer } from '../../../../../testing/identity/dns-server.ts';
import { HostileProvider } from '../../../../../testing/identity/hostile-provider.ts';
import { addProvider, comeBack, signInWith } from '../../../../../testing/identity/sso.ts';
import { startTestServer } from '../../../../../testing/test-context.ts';
import { readConfig } from '../../../../config.ts';

const NORA = { sub: 'nora-1', email: 'nora@example.net', email_verified: true };
const INPUT = { issuer: 'http://127.0.0.1:9', clientId: 'sendwell', name: 'Example ID' };

test('the client secret is sealed, never shown, and kept by a change that omits it', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const { id, hasSecret } = await ada.call(createIdentityProvider, {
    body: { ...INPUT, clientSecret: 'very secret' },
  });
  assert.equal(hasSecret, true);
  const update = (body: object) => ada.call(updateIdentityProvider, { params: { id }, body });
  assert.equal((await update({ name: 'Other' })).hasSecret, true);
  const { db } = server.context;
  const stored = [
    await db.selectFrom('identityProviders').selectAll().execute(),
    await db.selectFrom('auditLog').selectAll().execute(),
  ];
  assert.ok(!JSON.stringify(stored).includes('very secret'));
  assert.ok(!(await (await ada.fetch('/api/admin/identity-providers')).text()).includes('very secret'));
  assert.equal((await update({ clientSecret: null })).hasSecret, false);
});

test('there are at most 20 providers, each issuer and client once', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const create = (clientId: string) => ada.call(createIdentityProvider, { body: { ...INPUT, clientId } });
  await create('client-0');
  await assert.rejects(create('client-0'), { code: 'provider_exists', status: 409 });
  for (let number = 1; number < 18; number += 1) await create(`client-${number}`);
  const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(create));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
  await assert.rejects(create('one-more'), { code: 'too_many_providers' });
});

test('required providers need a domain, and plain http only suits a plain http server', async (t) => {
  const server = await startTestServer(t, { PUBLIC_URL: 'https://sendwell.example.org' });
  const ada = await server.signIn('ada');
  const create = (body: object) => ada.call(createIdentityProvider, { body: { ...INPUT, ...body } });
  await assert.rejects(create({}), { code: 'invalid_input' });
  const issuer = 'https://127.0.0.1:9';
  await assert.rejects(create({ issuer, isRequiredForDomains: true }), { code: 'invalid_input' });
  const { id } = await create({ issuer, isRequiredForDomains: true, domains: ['example.org'] });
  const empty = ada.call(updateIdentityProvider, { params: { id }, body: { domains: [] } });
  await assert.rejects(empty, { code: 'invalid_input' });
  const { redirectUri } = await ada.call(listIdentityProviders);
  assert.equal(redirectUri, 'https://sendwell.example.org/api/sign-in/sso/callback');
});

test('the provider of the environment can be used, but not changed', async (t) => {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'sendwell',
    OIDC_CLIENT_SECRET: 'a secret of the client',
    OIDC_NAME: 'Company',
    OIDC_CREATE_ACCOUNTS: 'on',
  });
  const [listed] = await server.anonymous().call(listSignInProviders);
  assert.equal(listed!.name, 'Company');
  const nora = server.anonymous();
  assert.equal(await signInWith(nora, { provider, providerId: listed!.id, person: NORA }), '/dashboard');
  const ada = await server.signIn('ada');
  const params = { id: listed!.id };
  await assert.rejects(ada.call(updateIdentityProvider, { params, body: { name: 'Mine' } }), {
    code: 'provider_read_only',
  });
  await assert.rejects(ada.call(deleteIdentityProvider, { params }), { code: 'provider_read_only' });
  const { providers } = await ada.call(listIdentityProviders);
  assert.deepEqual(
    [providers[0]!.source, providers[0]!.linkedAccounts, providers[0]!.createdAt],
    ['environment', 1, null],
  );
});

test('deleting a provider unlinks its accounts and ends the sessions that it started', async (t) => {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const { id } = await addProvider(server, provider, { mayCreateAccounts: true });
  const nora = server.anonymous();
  await signInWith(nora, { provider, providerId: id, person: NORA });
  const ada = await server.signIn('ada');
  await ada.call(deleteIdentityProvider, { params: { id } });
  await assert.rejects(nora.call(getCurrentUser), { status: 401 });
  assert.deepEqual(await server.context.db.selectFrom('externalIdentities').selectAll().execute(), []);
});

test('the variables of the provider go together', () => {
  const issuer = { OIDC_ISSUER: 'https://login.example.org' };
  const both = { ...issuer, OIDC_CLIENT_ID: 'sendwell' };
  assert.equal(readConfig({}).identityProvider, undefined);
  assert.equal(readConfig(both).identityProvider?.name, 'login.example.org');
  const mistakes: [Record<string, string>, RegExp][] = [
    [issuer, /OIDC_ISSUER and OIDC_CLIENT_ID go together/],
    [{ OIDC_CLIENT_SECRET: 'x' }, /OIDC_ISSUER is missing/],
    [{ ...both, OIDC_REQUIRED: 'on' }, /OIDC_REQUIRED needs/],
    [{ ...both, OIDC_ISSUER: 'login.example.org' }, /OIDC_ISSUER must be the issuer/],
    [{ ...both, OIDC_DNS_SERVERS: 'dns.example.org' }, /OIDC_DNS_SERVERS must be IP addresses/],
    [
      { ...both, OIDC_ISSUER: 'http://login.example.org', PUBLIC_URL: 'https://files.example.org' },
      /OIDC_ISSUER must begin with https/,
    ],
  ];
  for (const [environment, sentence] of mistakes) assert.throws(() => readConfig(environment), sentence);
});

test('testing a provider says what is wrong with it', async (t) => {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const ask = async (issuer = provider.issuer) => ada.call(testIdentityProvider, { body: { issuer } });
  const right = await ask();
  assert.deepEqual([right.isUsable, right.problems, right.signingAlgorithms], [true, [], ['RS256']]);
  const slash = await ask(`${provider.issuer}/`);
  assert.deepEqual(slash.problems, [
    `The provider calls itself ${provider.issuer}. Enter exactly that as the issuer.`,
  ]);
  assert.deepEqual((await ask('http://127.0.0.1:9')).problems, ['The provider can’t be reached.']);
  provider.tampering = { keys: () => ({ keys: [] }) };
  assert.deepEqual((await ask()).problems, ['The provider publishes no keys for its signatures.']);
});

test('a TXT record proves a domain until a later look-up misses it', async (t) => {
  const dns = await startDnsServer(t);
  const server = await startTestServer(t, { OIDC_DNS_SERVERS: dns.address });
  const { id, domains } = await addProvider(server, { issuer: INPUT.issuer }, { domains: ['example.org'] });
  const ada = await server.signIn('ada');
  const check = async () => {
    await renewSessions(server);
    const body = { domain: 'example.org' };
    return (await ada.call(checkProviderDomain, { params: { id }, body })).domains[0]!;
  };
  const { name, value } = domains[0]!.record;
  assert.match(`${name} ${value}`, /^_sendwell\.example\.org sendwell-domain=[0-9a-f]{40}$/);
  assert.deepEqual([(await check()).isProved, (await check()).problem], [false, 'missing']);
  dns.records.set(name, `${value}x`);
  assert.equal((await check()).isProved, false);
  dns.records.set(name, value);
  assert.deepEqual([(await check()).isProved, (await check()).problem], [true, null]);
  dns.isDown = true;
  assert.deepEqual([(await check()).isProved, (await check()).problem], [true, 'unreachable']);
  dns.isDown = false;
  dns.records.clear();
  await server.drainJobs();
  server.clock.advance(DAY_MS);
  await server.drainJobs();
  const [after] = (await (await server.signIn('ada')).call(listIdentityProviders)).providers;
  assert.deepEqual([after!.domains[0]!.isProved, after!.domains[0]!.problem], [false, 'missing']);
});

test('a sign-in can be unlinked unless it is the last one, which ends its other sessions', async (t) => {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const { id: providerId } = await addProvider(server, provider, { mayCreateAccounts: true });
  const nora = server.anonymous();
  await signInWith(nora, { provider, providerId, person: NORA });
  const [only] = await nora.call(listIdentities);
  await assert.rejects(nora.call(unlinkIdentity, { params: { id: only!.id } }), {
    code: 'last_sign_in',
    status: 409,
  });
  const frida = await server.signIn('frida');
  const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
  await comeBack(frida, provider.authorize(url, { sub: 'frida-1' }));
  const other = server.anonymous();
  await signInWith(other, { provider, providerId, person: { sub: 'frida-1' } });
  const [linked] = await frida.call(listIdentities);
  await assert.rejects(nora.call(unlinkIdentity, { params: { id: linked!.id } }), {
    code: 'identity_not_found',
  });
  await frida.call(unlinkIdentity, { params: { id: linked!.id } });
  await assert.rejects(other.call(getCurrentUser), { status: 401 });
  assert.deepEqual(await frida.call(listIdentities), []);
  assert.equal((await server.mails()).filter(({ kind }) => kind === 'identity-changed').length, 2);
});

test('a deleted account leaves no identity', async (t) => {
  const provider = await HostileProvider.start(t);
  const server = await startTestServer(t);
  const { id: providerId } = await addProvider(server, provider);
  const frida = await server.signIn('frida');
  const { url } = await frida.call(beginLinkIdentity, { body: { providerId } });
  await comeBack(frida, provider.authorize(url, { sub: 'frida-1' }));
  await frida.call(deleteAccount, { body: { password: PASSWORD } });
  assert.deepEqual(await server.context.db.selectFrom('externalIdentities').selectAll().execute(), []);
});
