import assert from 'node:assert/strict';
import test from 'node:test';
import { createApiKey } from '../../../contracts/accounts/api-keys.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { secureAccount, undoEmailChange, updateProfile } from '../../../contracts/accounts/settings.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { mailedToken } from '../../../testing/calls/mailed-tokens.ts';
import { renewSessions } from '../../../testing/calls/renewed-sessions.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { randomId } from '../../platform/lib/tokens.ts';

const OWNER: string = CAST.prem.email;

/** An authenticator app whose set-up began `begunMs` ago and is confirmed now, and a recovery code. */
async function addApp({ context, userId, clock }: TestServer, begunMs = 0): Promise<void> {
  const { db } = context;
  const of = { userId: userId('prem'), createdAt: clock.now() };
  const app = { ...of, createdAt: clock.now() - begunMs, sealedSecret: 'x', confirmedAt: clock.now() };
  await db.insertInto('totpSecrets').values(app).execute();
  await db
    .insertInto('recoveryCodes')
    .values({ ...of, id: randomId(), codeHash: randomId() })
    .execute();
  await db.updateTable('users').set({ hasSecondFactor: 1 }).where('id', '=', of.userId).execute();
}

async function left({ context, userId }: TestServer) {
  const { db } = context;
  const count = async (table: 'totpSecrets' | 'recoveryCodes') =>
    (await db.selectFrom(table).select('userId').where('userId', '=', userId('prem')).execute()).length;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId('prem'))
    .executeTakeFirstOrThrow();
  return {
    apps: await count('totpSecrets'),
    codes: await count('recoveryCodes'),
    hasSecondFactor: user.hasSecondFactor,
  };
}

const GONE = { apps: 0, codes: 0, hasSecondFactor: 0 };
const KEPT = { apps: 1, codes: 1, hasSecondFactor: 1 };

test('“This wasn’t me” deletes factors added since, and keeps older ones', async (t) => {
  for (const isOlder of [true, false]) {
    const server = await startTestServer(t);
    const owner = await server.signIn('prem');
    await owner.call(createApiKey, { body: { name: 'Mine' } });
    if (isOlder) await addApp(server);
    server.clock.advance(HOUR_MS);
    await renewSessions(server);
    const codeSession = { methods: '["password","totp"]' };
    await server.context.db.updateTable('sessions').set(codeSession).execute();
    await owner.call(createApiKey, { body: { name: 'Reported' } });
    const token = await mailedToken(server, 'api-key-created', OWNER);
    server.clock.advance(DAY_MS);
    if (!isOlder) await addApp(server);
    await server.anonymous().call(secureAccount, { body: { token } });
    assert.deepEqual(await left(server), isOlder ? KEPT : GONE);
  }
});

test('“This wasn’t me” in the mail that reports a factor deletes that factor', async (t) => {
  const server = await startTestServer(t);
  const thief = await server.signIn('prem');
  await addApp(server, HOUR_MS);
  const codeSession = { methods: '["password","totp"]' };
  await server.context.db.updateTable('sessions').set(codeSession).execute();
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
  await addApp(server);
  const token = await mailedToken(server, 'email-changed', OWNER);
  await server.anonymous().call(undoEmailChange, { body: { token } });
  assert.deepEqual(await left(server), GONE);
});

test('a password reset by mail removes no factor', async (t) => {
  const server = await startTestServer(t);
  await addApp(server);
  const before = await left(server);
  await server.anonymous().call(requestPasswordReset, { body: { email: OWNER } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', OWNER);
  const body = { token, password: 'a grey boat at noon' };
  await server.anonymous().call(confirmPasswordReset, { body });
  assert.deepEqual(await left(server), before);
});
