import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import { listFactors } from '../../../../contracts/accounts/sign-in/factors.ts';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import {
  createUser,
  deleteUser,
  listUsers,
  resetSecondFactor,
  resetUserPassword,
  setUserAdmin,
  setUserTier,
  signUserOut,
} from '../../../../contracts/admin/users.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { countBlobs, countRows, existsUser, passMinutes } from '../../../../testing/calls/left-of-account.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST, type CastName, PASSWORD } from '../../../../testing/cast.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import {
  listSubscriptions,
  passDays,
  subscribe,
  tierOf,
} from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';

const NORA = { username: 'Nora', email: 'Nora@example.org', password: 'noras secret' };
const UNKNOWN = { id: '00000000-0000-4000-8000-000000000000' };

const idOf = (server: TestServer, name: CastName) => ({ id: server.userId(name) });
const assertSignedOut = (client: Client) => assert.rejects(client.call(getCurrentUser), { status: 401 });

/** Signs in two administrators: ada, and paula, who has just been promoted. */
async function startWithTwo(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  await ada.call(setUserAdmin, { params: idOf(server, 'paula'), body: { isAdmin: true } });
  return { server, ada, paula: await server.signIn('paula') };
}

async function countAdmins({ context }: TestServer): Promise<number> {
  return (await context.db.selectFrom('users').select('id').where('isAdmin', '=', 1).execute()).length;
}

test('an account created by an administrator is verified, has its username as name, and can sign in', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const created = await ada.call(createUser, { body: { ...NORA, tier: 'pro', isAdmin: true } });
  const { id, createdAt, ...rest } = created;
  assert.ok(id && createdAt);
  assert.deepEqual(rest, {
    name: 'Nora',
    username: 'Nora',
    email: 'Nora@example.org',
    emailVerified: true,
    isAdmin: true,
    hasSecondFactor: false,
    tier: 'pro',
    transferCount: 0,
    storageBytes: 0,
  });
  const nora = server.anonymous();
  await nora.call(login, { body: { username: 'nora', password: NORA.password } });
  assert.ok((await nora.call(listUsers)).some((user) => user.id === id));
  const plain = await ada.call(createUser, {
    body: { username: 'otto', email: 'otto@example.org', password: 'ottos secret', name: 'Otto O.' },
  });
  assert.deepEqual([plain.name, plain.tier, plain.isAdmin], ['Otto O.', 'free', false]);
});

test('a taken username or address is reported at its field, and no account is created', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const cases = [
    [{ ...NORA, username: 'FRIDA' }, 'username_taken', 'username'],
    [{ ...NORA, email: CAST.frida.email.toUpperCase() }, 'email_taken', 'email'],
  ] as const;
  for (const [body, code, field] of cases)
    await assert.rejects(ada.call(createUser, { body }), (error: ApiError) => {
      assert.deepEqual([error.status, error.code], [409, code]);
      assert.deepEqual(Object.keys(error.problem.errors!), [field]);
      return true;
    });
  await assert.rejects(ada.call(createUser, { body: { ...NORA, password: '12345' } }), { status: 400 });
  assert.equal((await ada.call(listUsers)).length, 4);
});

test('of parallel creations of one username one succeeds and is recorded once', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const bodies = Array.from({ length: 6 }, (_, index) => ({ ...NORA, email: `nora${index}@example.org` }));
  const answers = await Promise.allSettled(bodies.map((body) => ada.call(createUser, { body })));
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  assert.deepEqual(refusals, Array(5).fill('username_taken'));
  const acts = await server.context.db.selectFrom('auditLog').select('action').execute();
  assert.deepEqual(
    acts.map(({ action }) => action),
    ['user.create'],
  );
});

test('deleting an account removes its contents, ends its sessions and mails its owner', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const paula = await server.signIn('paula');
  await uploadFile(paula, 'gone.bin', makeBytes(50));
  await ada.call(deleteUser, { params: idOf(server, 'paula') });
  await assertSignedOut(paula);
  assert.equal((await ada.call(listUsers, { query: { search: 'paula' } })).length, 0);
  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'paula'), false);
  assert.deepEqual(await countRows(server, 'paula'), {});
  assert.equal(await countBlobs(server), 0);
  assert.equal((await mailsTo(server, 'account-deleted', CAST.paula.email)).length, 1);
});

test('deleting an account ends its subscription', async (t) => {
  const server = await startTestServer(t);
  await subscribe(await server.signIn('frida'), { tier: 'pro' });
  const [row] = await listSubscriptions(server, 'frida');
  await (await server.signIn('ada')).call(deleteUser, { params: idOf(server, 'frida') });
  await passMinutes(server, 2);
  const left = await server.context.payments.findSubscription(row!.providerSubscriptionId);
  assert.equal(left!.status, 'ended');
});

test('of parallel deletions of one account one succeeds, and the others find no user', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const params = idOf(server, 'frida');
  const answers = await Promise.allSettled([1, 2, 3].map(() => ada.call(deleteUser, { params })));
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  assert.deepEqual(refusals, ['user_not_found', 'user_not_found']);
  assert.equal((await mailsTo(server, 'account-deleted', CAST.frida.email)).length, 1);
});

test('every call answers 404 for an unknown user and for one that is being removed', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  await ada.call(deleteUser, { params: idOf(server, 'frida') });
  for (const params of [UNKNOWN, idOf(server, 'frida')]) {
    const calls = [
      () => ada.call(deleteUser, { params }),
      () => ada.call(setUserAdmin, { params, body: { isAdmin: true } }),
      () => ada.call(setUserAdmin, { params, body: { isAdmin: false } }),
      () => ada.call(setUserTier, { params, body: { tier: 'pro' } }),
      () => ada.call(resetUserPassword, { params, body: { password: PASSWORD } }),
      () => ada.call(signUserOut, { params, body: {} }),
      () => ada.call(resetSecondFactor, { params }),
    ];
    for (const call of calls) await assert.rejects(call(), { status: 404, code: 'user_not_found' });
  }
});

test('the last administrator can be neither demoted nor deleted, not even by themselves', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const params = idOf(server, 'ada');
  await assert.rejects(ada.call(setUserAdmin, { params, body: { isAdmin: false } }), {
    status: 409,
    code: 'last_admin',
  });
  await assert.rejects(ada.call(deleteUser, { params }), { status: 409, code: 'last_admin' });
  assert.equal((await ada.call(getCurrentUser)).isAdmin, true);
});

test('one of two administrators can delete their own account and is signed out', async (t) => {
  const { server, paula } = await startWithTwo(t);
  await paula.call(deleteUser, { params: idOf(server, 'paula') });
  assert.deepEqual(paula.jar.list(), []);
  assert.equal(await countAdmins(server), 1);
});

test('demotion ends all of the user’s sessions; promotion applies from the next call', async (t) => {
  const { server, ada, paula } = await startWithTwo(t);
  const elsewhere = await server.signIn('paula');
  await paula.call(listUsers);
  await ada.call(setUserAdmin, { params: idOf(server, 'paula'), body: { isAdmin: false } });
  await assertSignedOut(paula);
  await assertSignedOut(elsewhere);
  const again = await server.signIn('paula');
  await assert.rejects(again.call(listUsers), { status: 403 });
  await ada.call(setUserAdmin, { params: idOf(server, 'paula'), body: { isAdmin: true } });
  await again.call(listUsers);
  // Demoting a user who is no administrator keeps their sessions.
  const frida = await server.signIn('frida');
  await ada.call(setUserAdmin, { params: idOf(server, 'frida'), body: { isAdmin: false } });
  assert.equal((await frida.call(getCurrentUser)).isAdmin, false);
});

for (const [what, call] of [
  [
    'demote',
    (client: Client, id: string) => client.call(setUserAdmin, { params: { id }, body: { isAdmin: false } }),
  ],
  ['delete', (client: Client, id: string) => client.call(deleteUser, { params: { id } })],
] as const)
  test(`of two administrators who ${what} each other at the same time, one remains`, async (t) => {
    const { server, ada, paula } = await startWithTwo(t);
    const answers = await Promise.allSettled([
      call(ada, server.userId('paula')),
      call(paula, server.userId('ada')),
    ]);
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const answer of answers)
      if (answer.status === 'rejected') assert.ok([401, 403, 409].includes(answer.reason.status));
    assert.equal(await countAdmins(server), 1);
  });

test('a password set by an administrator ends all sessions, replaces the old one and is announced by mail', async (t) => {
  const server = await startTestServer(t);
  const [frida, elsewhere] = [await server.signIn('frida'), await server.signIn('frida')];
  const ada = await server.signIn('ada');
  await ada.call(resetUserPassword, { params: idOf(server, 'frida'), body: { password: 'fresh one' } });
  await assertSignedOut(frida);
  await assertSignedOut(elsewhere);
  const signIn = (password: string) =>
    server.anonymous().call(login, { body: { username: 'frida', password } });
  await assert.rejects(signIn(PASSWORD), { status: 401 });
  await signIn('fresh one');
  const { passwordHash } = await server.context.db
    .selectFrom('users')
    .select('passwordHash')
    .where('usernameKey', '=', 'frida')
    .executeTakeFirstOrThrow();
  assert.match(passwordHash, /^\$argon2id\$/);
  assert.equal((await mailsTo(server, 'password-changed', CAST.frida.email)).length, 1);
});

test('a plan set by an administrator applies immediately and keeps the subscription at the payment provider', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  const ada = await server.signIn('ada');
  const user = await ada.call(setUserTier, { params: idOf(server, 'frida'), body: { tier: 'premium' } });
  assert.equal(user.tier, 'premium');
  assert.equal(await tierOf(frida), 'premium');
  const [row] = await listSubscriptions(server, 'frida');
  assert.deepEqual([row!.tier, row!.status], ['pro', 'active']);
  // The renewal does not overwrite the plan.
  await passDays(server, 32);
  assert.equal(await tierOf(frida), 'premium');
});

test('the list shows each user’s number of transfers and bytes, without drafts and deleted ones', async (t) => {
  const server = await startTestServer(t);
  const files = [{ path: 'a.txt', bytes: '12345' }];
  const userId = server.userId('frida');
  await createReadyTransfer(server.context, { userId, files });
  await createReadyTransfer(server.context, { userId, files: [...files, { path: 'b', bytes: '678' }] });
  for (const status of ['draft', 'deleting'] as const) {
    const { id } = await createReadyTransfer(server.context, { userId, files });
    await server.context.db.updateTable('transfers').set({ status }).where('id', '=', id).execute();
  }
  const users = await (await server.signIn('ada')).call(listUsers);
  const shown = users.map(({ username, transferCount, storageBytes }) => [
    username,
    transferCount,
    storageBytes,
  ]);
  assert.deepEqual(shown.sort(), [
    ['ada', 0, 0],
    ['frida', 2, 13],
    ['paula', 0, 0],
    ['prem', 0, 0],
  ]);
});

test('an administrator ends the sessions of a user, and disables keys and webhooks by choice', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const key = await prem.call(createApiKey, { body: { name: 'Backup' } });
  const ada = await server.signIn('ada');
  const params = idOf(server, 'prem');
  assert.deepEqual(await ada.call(signUserOut, { params, body: {} }), {
    sessions: 1,
    apiKeys: 0,
    webhooks: 0,
  });
  await assertSignedOut(prem);
  const withKey = () =>
    server.anonymous().fetch('/api/user', { headers: { authorization: `Bearer ${key.key}` } });
  assert.equal((await withKey()).status, 200);
  server.clock.advance(MINUTE_MS);
  assert.equal((await ada.call(signUserOut, { params, body: { apiKeys: true } })).apiKeys, 1);
  assert.equal((await withKey()).status, 401);
  assert.deepEqual(
    (await ada.call(listAudit)).map(({ action, details }) => [action, details.apiKeys]),
    [
      ['user.sign-out', 1],
      ['user.sign-out', 0],
    ],
  );
});

test('an administrator resets a lost second factor; the password stays, and the user is told', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await addAuthenticatorApp(server, frida);
  const ada = await server.signIn('ada');
  const params = idOf(server, 'frida');
  const of = async () => (await ada.call(listUsers)).find(({ username }) => username === 'frida')!;
  assert.equal((await of()).hasSecondFactor, true);
  assert.equal((await ada.call(resetSecondFactor, { params })).hasSecondFactor, false);
  assert.equal((await of()).hasSecondFactor, false);
  await server.anonymous().call(login, { body: { username: 'frida', password: PASSWORD } });
  assert.deepEqual((await frida.call(listFactors)).recoveryCodes, 0);
  const [, mail] = await mailsTo(server, 'factor-changed', CAST.frida.email);
  assert.equal(mail!.subject, 'An administrator removed the second factor on your Sendwell account');
  const kinds = (await frida.call(listAccountEvents)).map(({ kind }) => kind);
  assert.ok(kinds.includes('second-factor-reset'));
  await assert.rejects(ada.call(resetSecondFactor, { params }), { code: 'user_has_no_second_factor' });
});
