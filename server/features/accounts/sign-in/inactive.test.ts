import assert from 'node:assert/strict';
import test from 'node:test';
import { login } from '../../../../contracts/accounts/accounts.ts';
import { requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { requestSignInLink } from '../../../../contracts/accounts/sign-in/link.ts';
import { resetUserPassword } from '../../../../contracts/admin/users.ts';
import { setPolicy } from '../../../../testing/calls/sign-in-policy.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { INACTIVE_HASH } from '../passwords/stored-hashes.ts';

test('an inactive account gets no link and cannot sign in until an administrator sets a password', async (t) => {
  const server = await startTestServer(t);
  await setPolicy(server, { emailSignIn: true });
  await server.context.db
    .updateTable('users')
    .set({ passwordHash: INACTIVE_HASH })
    .where('usernameKey', '=', 'frida')
    .execute();
  const guest = server.anonymous();
  for (const password of [PASSWORD, INACTIVE_HASH])
    await assert.rejects(guest.call(login, { body: { username: 'frida', password } }), { status: 401 });
  await guest.call(requestPasswordReset, { body: { email: CAST.frida.email } });
  await guest.call(requestSignInLink, { body: { email: CAST.frida.email } });
  await server.drainJobs();
  assert.deepEqual(await server.mails(), []);
  const ada = await server.signIn('ada');
  const password = 'a grey boat at noon';
  await ada.call(resetUserPassword, { params: { id: server.userId('frida') }, body: { password } });
  await guest.call(login, { body: { username: 'frida', password } });
});
