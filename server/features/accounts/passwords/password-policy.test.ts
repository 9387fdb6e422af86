import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { login, register } from '../../../../contracts/accounts/accounts.ts';
import { confirmPasswordReset, requestPasswordReset } from '../../../../contracts/accounts/password-reset.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { createUser, resetUserPassword } from '../../../../contracts/admin/users.ts';
import { getSite } from '../../../../contracts/system.ts';
import { mailedToken } from '../../../../testing/calls/mailed-tokens.ts';
import { setPolicy } from '../../../../testing/calls/sign-in-policy.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { ensureFirstAdmin } from '../users/administration.ts';
import { findWeakness } from './password-policy.ts';

const STRICT = { PASSWORD_POLICY: 'strict', PUBLIC_URL: 'https://files.bluebird.example' };
const NORA = { name: 'Nora Lindqvist', username: 'nora.l', email: 'n.lindqvist@harbor.example' };

test('strict: short passwords, common ones and those made of names are refused with a reason', async () => {
  const deps = { config: { passwordPolicy: 'strict', publicUrl: STRICT.PUBLIC_URL } } as never;
  const cases: [password: string, reason: RegExp | undefined][] = [
    ['seven77', /at least 8 characters/],
    ['password', /most common/],
    ['PassWord1', /most common/],
    ['1qaz2wsx', /most common/],
    ['sendwell2026', /mostly of your name/],
    ['Bluebird!23', /mostly of your name/],
    ['LINDQVIST99', /mostly of your name/],
    ['nora.l-2026', /mostly of your name/],
    ['harborharbor', /mostly of your name/],
    ['harbor lights at four', undefined],
    ['correct horse battery staple', undefined],
    ['äöüßéèêë', undefined],
    ['x7#kQp2v', undefined],
  ];
  for (const [password, reason] of cases) {
    const weakness = await findWeakness(deps, password, NORA);
    if (reason) assert.match(weakness ?? '', reason, password);
    else assert.equal(weakness, undefined, password);
  }
});

test('strict: passwords in the breached passwords file are refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-breached-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'pwned.txt');
  const breached = ['a quiet harbor at night', 'nine tin soldiers', 'zig zag zebra'];
  const hashes = breached.map((text) => createHash('sha1').update(text).digest('hex').toUpperCase());
  await writeFile(
    file,
    hashes
      .sort()
      .map((hash) => `${hash}:3\r\n`)
      .join(''),
  );
  const config = { passwordPolicy: 'strict', publicUrl: STRICT.PUBLIC_URL, breachedPasswordsFile: file };
  const deps = { config } as never;
  for (const password of breached) assert.match((await findWeakness(deps, password, NORA)) ?? '', /breach/);
  assert.equal(await findWeakness(deps, 'nine tin soldiers?', NORA), undefined);
});

test('every call that sets a password applies the policy and reports the error at its field', async (t) => {
  const server = await startTestServer(t);
  const weak = 'iloveyou';
  const refused = (field: string) => (error: unknown) => {
    assert.ok(error instanceof ApiError);
    const sentence = 'This is one of the most common passwords. Please choose another one.';
    assert.deepEqual([error.status, error.problem.errors], [400, { [field]: sentence }]);
    return true;
  };
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const person = { name: 'Nora', username: 'nora', email: 'nora@example.org', password: weak };
  await assert.rejects(server.anonymous().call(register, { body: person }), refused('password'));
  await assert.rejects(
    frida.call(updateProfile, { body: { currentPassword: PASSWORD, newPassword: weak } }),
    refused('newPassword'),
  );
  const { name, ...account } = person;
  await assert.rejects(
    ada.call(createUser, { body: { ...account, tier: 'free', isAdmin: false } }),
    refused('password'),
  );
  await assert.rejects(
    ada.call(resetUserPassword, { params: { id: server.userId('frida') }, body: { password: weak } }),
    refused('password'),
  );
  await server.anonymous().call(requestPasswordReset, { body: { email: CAST.frida.email } });
  await server.drainJobs();
  const token = await mailedToken(server, 'password-reset', CAST.frida.email);
  await assert.rejects(
    server.anonymous().call(confirmPasswordReset, { body: { token, password: weak } }),
    refused('password'),
  );
  await server.anonymous().call(confirmPasswordReset, { body: { token, password: 'a grey boat at noon' } });
  await server.anonymous().call(login, { body: { username: 'frida', password: 'a grey boat at noon' } });
});

test('basic, the default: ordinary passwords of six characters are accepted', async (t) => {
  const server = await startTestServer(t);
  const body = { name: 'Nora', username: 'nora', email: 'nora@example.org', password: 'r4inbo' };
  assert.equal((await server.anonymous().call(register, { body })).username, 'nora');
});

test('strict: ADMIN_PASSWORD must satisfy the policy', async (t) => {
  const server = await startTestServer(t, STRICT);
  const firstAdmin = { username: 'root', email: 'root@example.org', password: 'sendwell-root' };
  const context = { ...server.context, config: { ...server.context.config, firstAdmin } };
  await server.context.db.updateTable('users').set({ isAdmin: 0 }).execute();
  await assert.rejects(ensureFirstAdmin(context), { name: 'ConfigError', message: /^ADMIN_PASSWORD: This/ });
  firstAdmin.password = 'a grey boat at noon';
  await ensureFirstAdmin(context);
  await server.anonymous().call(login, { body: { username: 'root', password: firstAdmin.password } });
});

test('short common passwords and the person’s own name, username and address are refused', async (t) => {
  const server = await startTestServer(t);
  const nora = { name: 'Nora Lindqvist', username: 'nora.l', email: 'n.lindqvist@example.org' };
  const refused = ['123456', 'QWERTY', 'password', 'nora lindqvist', 'NoraLindqvist', 'nora.l', nora.email];
  for (const password of refused)
    await assert.rejects(server.anonymous().call(register, { body: { ...nora, password } }), {
      status: 400,
      code: 'invalid_input',
    });
  await server.anonymous().call(register, { body: { ...nora, password: 'nora.l at sea' } });
});

test('the administrator’s minimum length applies, and administrators need 12 characters', async (t) => {
  const server = await startTestServer(t);
  const nora = { name: 'Nora', username: 'nora', email: 'nora@example.org' };
  const ada = await server.signIn('ada');
  const change = (newPassword: string) =>
    ada.call(updateProfile, { body: { currentPassword: PASSWORD, newPassword } });
  await assert.rejects(change('grey boat 1'), /Administrators need a password of at least 12 characters/);
  const create = (password: string, isAdmin: boolean) =>
    ada.call(createUser, {
      body: {
        username: `u${password.length}${isAdmin}`,
        email: `${password.length}@example.org`,
        password,
        tier: 'free',
        isAdmin,
      },
    });
  await assert.rejects(create('grey boat 1', true), { status: 400 });
  await create('grey boat 1', false);
  await setPolicy(server, { passwordMinLength: 14 });
  const body = { ...nora, password: 'grey boat 123' };
  await assert.rejects(server.anonymous().call(register, { body }), /at least 14 characters/);
  await assert.rejects(change('grey boat 123'), /at least 14 characters/);
  assert.equal((await server.anonymous().call(getSite)).signIn.passwordMinLength, 14);
  await server.anonymous().call(register, { body: { ...nora, password: 'grey boat 1234' } });
});
