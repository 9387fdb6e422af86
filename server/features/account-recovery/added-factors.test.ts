import assert from 'node:assert/strict';
import test from 'node:test';
import { createApiKey } from '../../../contracts/accounts/api-keys.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { secureAccount, undoEmailChange, updateProfile } from '../../../contracts/accounts/settings.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { mailedToken } from '../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { randomId } from '../../platform/lib/tokens.ts';

const OWNER: string = CAST.prem.email;

async function addPasskey({ context, userId, clock }: TestServer, name: string): Promise<void> {
  const row = {
    id: randomId(),
    userId: userId('prem'),
    credentialId: name,
    publicKey: 'x',
    counter: 0,
    transports: '[]',
    isBackedUp: 0 as const,
    aaguid: '',
    name,
    createdAt: clock.now(),
    lastUsedAt: null,
  };
  await context.db.insertInto('passkeys').values(row).execute();
  const users = context.db.updateTable('users').set({ hasSecondFactor: 1 });
  await users.where('id', '=', userId('prem')).execute();
}

/** An authenticator app whose set-up began `begunMs` ago and is confirmed now, a recovery code and an identity. */
async function addOthers({ context, userId, clock }: TestServer, begunMs = 0): Promise<void> {
  const of = { userId: userId('prem'), createdAt: clock.now() };
  const { db } = context;
  await db
    .insertInto('totpSecrets')
    .values({
      ...of,
      createdAt: clock.now() - begunMs,
      sealedSecret: 'x',
      lastStep: 0,
      confirmedAt: clock.now(),
    })
    .execute();
  await db
    .insertInto('recoveryCodes')
    .values({ ...of, id: randomId(), codeHash: randomId() })
    .execute();
  await db
    .insertInto('externalIdentities')
    .values({
      ...of,
      id: randomId(),
      providerId: 'p',
      issuer: 'https://id.example',
      subject: randomId(),
      email: null,
      lastUsedAt: clock.now(),
    })
    .execute();
}

async function left({ context, userId }: TestServer) {
  const { db } = context;
  const count = async (table: 'passkeys' | 'totpSecrets' | 'recoveryCodes' | 'externalIdentities') =>
    (await db.selectFrom(table).select('userId').where('userId', '=', userId('prem')).execute()).length;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId('prem'))
    .executeTakeFirstOrThrow();
  const passkeys = await db.selectFrom('passkeys').select('name').execute();
  return {
    passkeys: passkeys.map(({ name }) => name),
    apps: await count('totpSecrets'),
    codes: await count('recoveryCodes'),
    identities: await count('externalIdentities'),
    hasSecondFactor: user.hasSecondFactor,
  };
}

const GONE = { passkeys: [], apps: 0, codes: 0, identities: 0, hasSecondFactor: 0 };

test('“This wasn’t me” deletes the factors added since, and only those', async (t) => {
  const server = await startTestServer(t);
  await addPasskey(server, 'the owner’s');
  server.clock.advance(HOUR_MS);
  await (await server.signIn('prem')).call(createApiKey, { body: { name: 'Mine' } });
  const token = await mailedToken(server, 'api-key-created', OWNER);
  server.clock.advance(DAY_MS);
  await addPasskey(server, 'the thief’s');
  await addOthers(server);
  await server.anonymous().call(secureAccount, { body: { token } });
  assert.deepEqual(await left(server), { ...GONE, passkeys: ['the owner’s'], hasSecondFactor: 1 });
});

test('“This wasn’t me” in the mail that reports a factor deletes that factor', async (t) => {
  const server = await startTestServer(t);
  const thief = await server.signIn('prem');
  await addOthers(server, HOUR_MS);
  await addPasskey(server, 'the thief’s');
  server.clock.advance(50);
  await thief.call(createApiKey, { body: { name: 'Stands for the mail' } });
  const token = await mailedToken(server, 'api-key-created', OWNER);
  await server.anonymous().call(secureAccount, { body: { token } });
  assert.deepEqual(await left(server), GONE);
});

test('undoing an email change deletes the factors added since', async (t) => {
  const server = await startTestServer(t);
  const thief = await server.signIn('prem');
  await thief.call(updateProfile, { body: { email: 'thief@example.net', currentPassword: PASSWORD } });
  server.clock.advance(DAY_MS);
  await addPasskey(server, 'the thief’s');
  await addOthers(server);
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  assert.deepEqual(await left(server), GONE);
});

test('a password reset by mail removes no factor', async (t) => {
  const server = await startTestServer(t);
  await addPasskey(server, 'the owner’s');
  await addOthers(server);
  const before = await left(server);
  await server.anonymous().call(requestPasswordReset, { body: { email: OWNER } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', OWNER);
  const body = { token, password: 'a grey boat at noon' };
  await server.anonymous().call(confirmPasswordReset, { body });
  assert.deepEqual(await left(server), before);
});
