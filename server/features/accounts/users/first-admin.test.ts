import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { login } from '../../../../contracts/accounts/accounts.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { ensureFirstAdmin } from './administration.ts';

const ROOT = { username: 'Root', email: 'root@example.org', password: 'first password' };

async function startWithoutAdmin(t: TestContext) {
  const server = await startTestServer(t);
  await server.context.db.deleteFrom('users').where('isAdmin', '=', 1).execute();
  const start = (firstAdmin: typeof ROOT | undefined) =>
    ensureFirstAdmin({ ...server.context, config: { ...server.context.config, firstAdmin } });
  const listAdmins = () =>
    server.context.db.selectFrom('users').selectAll().where('isAdmin', '=', 1).execute();
  return { server, start, listAdmins };
}

test('the first start creates a verified administrator who can sign in', async (t) => {
  const { server, start } = await startWithoutAdmin(t);
  await start(ROOT);
  const { username, isAdmin, emailVerified, tier } = await server
    .anonymous()
    .call(login, { body: { username: 'root', password: ROOT.password } });
  const expected = { username: 'Root', isAdmin: true, emailVerified: true, tier: 'premium' };
  assert.deepEqual({ username, isAdmin, emailVerified, tier }, expected);
});

test('a restart creates no second administrator and resets no password', async (t) => {
  const { start, listAdmins } = await startWithoutAdmin(t);
  await start(ROOT);
  const before = await listAdmins();
  await start(ROOT);
  await start({ ...ROOT, password: 'second password' });
  await start({ username: 'other', email: 'other@example.org', password: 'second password' });
  assert.deepEqual(await listAdmins(), before);
});

test('processes that start together create one administrator', async (t) => {
  const { start, listAdmins } = await startWithoutAdmin(t);
  await Promise.all(Array.from({ length: 4 }, () => start(ROOT)));
  assert.equal((await listAdmins()).length, 1);
});

test('an existing user with the configured name is not promoted', async (t) => {
  const { start, listAdmins } = await startWithoutAdmin(t);
  await start({ ...ROOT, username: 'FRIDA' });
  await start(undefined);
  assert.deepEqual(await listAdmins(), []);
});
