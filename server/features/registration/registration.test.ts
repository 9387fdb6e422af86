import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, register, verifyEmail } from '../../../contracts/accounts/accounts.ts';
import {
  createAccountInvitation,
  findAccountInvitation,
  getRegistration,
  listAccountInvitations,
  type RegistrationMode,
  resendAccountInvitation,
  revokeAccountInvitation,
  updateRegistration,
} from '../../../contracts/accounts/registration.ts';
import { deleteAccount } from '../../../contracts/accounts/settings.ts';
import { createUser } from '../../../contracts/admin/users.ts';
import { getSite } from '../../../contracts/system.ts';
import { sendInvitationCode } from '../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { mailedToken, mailsTo } from '../../../testing/calls/mailed-tokens.ts';
import { renewSessions } from '../../../testing/calls/renewed-sessions.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { startInvitation } from '../../../testing/visitors/visit.ts';
import { readConfig } from '../../config.ts';

const NORA = { name: 'Nora New', username: 'nora', email: 'nora@example.org', password: PASSWORD };

async function setMode(ada: Client, mode: RegistrationMode, domains: string[] = []) {
  return ada.call(updateRegistration, { body: { mode, domains, visitorDomains: [] } });
}

/** Invites an address as ada. Returns the invitation's ID and the token in its mail. */
async function invite(server: TestServer, ada: Client, email = NORA.email) {
  const { id } = await ada.call(createAccountInvitation, { body: { email } });
  return { id, token: await mailedToken(server, 'account-invitation', email) };
}

test('open: anybody can register; domains: only addresses of the domains, in any case', async (t) => {
  const server = await startTestServer(t, { REGISTRATION_DOMAINS: 'example.org, @Example.com' });
  await server.anonymous().call(register, { body: NORA });
  const ada = await server.signIn('ada');
  await setMode(ada, 'domains', ['Example.ORG']);
  const others = { ...NORA, username: 'other', email: 'other@sub.example.org' };
  await assert.rejects(server.anonymous().call(register, { body: others }), {
    code: 'registration_domain',
    status: 403,
    message: /example\.org address/,
  });
  const user = await server.anonymous().call(register, { body: { ...others, email: 'Other@EXAMPLE.org' } });
  assert.equal(user.emailVerified, false);
});

for (const mode of ['domains', 'invite', 'closed'] as const)
  test(`${mode}: a refusal does not reveal whether an account exists`, async (t) => {
    const server = await startTestServer(t, {
      REGISTRATION: mode,
      REGISTRATION_DOMAINS: 'elsewhere.example',
    });
    const answers: string[] = [];
    for (const email of [CAST.frida.email, 'nobody@example.org']) {
      const answer = await server.anonymous().fetch('/api/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...NORA, email }),
      });
      answers.push(`${answer.status} ${await answer.text()}`);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    assert.equal(answers[0], answers[1]);
    assert.match(answers[0]!, /^403 /);
    assert.deepEqual(await mailsTo(server, 'verification-code', CAST.frida.email), []);
  });

test('invite: the mailed link proves the address and works once, for that address only', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'invite' });
  const ada = await server.signIn('ada');
  await assert.rejects(server.anonymous().call(register, { body: NORA }), {
    code: 'registration_needs_invitation',
  });
  const { token } = await invite(server, ada);
  const nora = server.anonymous();
  assert.equal((await nora.call(findAccountInvitation, { body: { token } })).email, NORA.email);
  const mallory = { ...NORA, username: 'mallory', email: 'mallory@example.org', invitationToken: token };
  await assert.rejects(server.anonymous().call(register, { body: mallory }), {
    code: 'registration_other_email',
    status: 403,
  });
  const user = await nora.call(register, {
    body: { ...NORA, email: 'Nora@Example.org', invitationToken: token },
  });
  assert.equal(user.emailVerified, true);
  assert.equal((await nora.call(getCurrentUser)).username, 'nora', 'signed in');
  const again = { ...NORA, username: 'nora2', invitationToken: token };
  await assert.rejects(server.anonymous().call(register, { body: again }), {
    code: 'account_invitation_void',
    status: 410,
  });
  await assert.rejects(server.anonymous().call(findAccountInvitation, { body: { token } }), {
    code: 'account_invitation_void',
  });
  assert.equal((await ada.call(listAccountInvitations))[0]!.status, 'accepted');
  const stored = JSON.stringify(
    await server.context.db.selectFrom('accountInvitations').selectAll().execute(),
  );
  assert.ok(!stored.includes(token), 'only its hash is stored');
});

test('of ten parallel registrations with one invitation one succeeds', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'invite' });
  const { token } = await invite(server, await server.signIn('ada'));
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      server
        .anonymous()
        .call(register, { body: { ...NORA, username: `nora${index}`, invitationToken: token } }),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('an invitation lasts seven days; resending sends a new link and voids the old one', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'invite' });
  const ada = await server.signIn('ada');
  const { id, token: old } = await invite(server, ada);
  await assert.rejects(ada.call(createAccountInvitation, { body: { email: 'NORA@example.org' } }), {
    code: 'account_invitation_exists',
    status: 409,
  });
  server.clock.advance(7 * DAY_MS);
  await assert.rejects(server.anonymous().call(register, { body: { ...NORA, invitationToken: old } }), {
    code: 'account_invitation_void',
  });
  const admin = await server.signIn('ada');
  assert.equal((await admin.call(listAccountInvitations))[0]!.status, 'expired');
  assert.equal((await admin.call(resendAccountInvitation, { params: { id } })).status, 'open');
  const token = await mailedToken(server, 'account-invitation', NORA.email);
  assert.notEqual(token, old);
  await assert.rejects(server.anonymous().call(findAccountInvitation, { body: { token: old } }));
  await server.anonymous().call(register, { body: { ...NORA, invitationToken: token } });
  await assert.rejects(admin.call(resendAccountInvitation, { params: { id } }), {
    code: 'account_invitation_not_found',
  });
});

test('a revoked invitation is void, and its queued mail is dropped', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'invite' });
  const ada = await server.signIn('ada');
  const { id, token } = await invite(server, ada);
  await ada.call(revokeAccountInvitation, { params: { id } });
  await assert.rejects(server.anonymous().call(register, { body: { ...NORA, invitationToken: token } }), {
    code: 'account_invitation_void',
  });
  assert.equal((await mailsTo(server, 'account-invitation', NORA.email))[0]!.state, 'dropped');
  assert.deepEqual(await ada.call(listAccountInvitations), []);
  await ada.call(createAccountInvitation, { body: { email: NORA.email } });
});

test('an address with an account cannot be invited, and a mailbox gets at most five invitations an hour', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  await assert.rejects(ada.call(createAccountInvitation, { body: { email: CAST.frida.email } }), {
    code: 'email_taken',
  });
  const { id } = await invite(server, ada);
  for (let mails = 1; mails < 5; mails += 1) await ada.call(resendAccountInvitation, { params: { id } });
  await assert.rejects(ada.call(resendAccountInvitation, { params: { id } }), { status: 429 });
  server.clock.advance(HOUR_MS);
  await renewSessions(server);
  await ada.call(resendAccountInvitation, { params: { id } });
});

test('closed: nobody can register, even with an invitation; sign-in and accounts created by administrators work', async (t) => {
  const admin = { ADMIN_USERNAME: 'root', ADMIN_EMAIL: 'root@example.org', ADMIN_PASSWORD: PASSWORD };
  const server = await startTestServer(t, { REGISTRATION: 'closed', ...admin });
  const ada = await server.signIn('ada');
  await setMode(ada, 'invite');
  const { id, token } = await invite(server, ada);
  await setMode(ada, 'closed');
  await assert.rejects(server.anonymous().call(register, { body: { ...NORA, invitationToken: token } }), {
    code: 'registration_closed',
    status: 403,
  });
  await assert.rejects(ada.call(resendAccountInvitation, { params: { id } }), {
    code: 'registration_is_closed',
    status: 409,
  });
  await server.anonymous().call(login, { body: { username: CAST.ada.username, password: PASSWORD } });
  await ada.call(createUser, { body: { username: 'hired', email: 'hired@example.org', password: PASSWORD } });
});

test('the setting of the admin area overrides the environment, and the response shows both', async (t) => {
  const server = await startTestServer(t, { REGISTRATION: 'domains', REGISTRATION_DOMAINS: 'example.org' });
  const ada = await server.signIn('ada');
  const configured = { mode: 'domains', domains: ['example.org'] };
  assert.deepEqual(await ada.call(getRegistration), {
    ...configured,
    visitorDomains: [],
    source: 'environment',
    configured,
  });
  assert.deepEqual(await setMode(ada, 'closed'), {
    mode: 'closed',
    domains: [],
    visitorDomains: [],
    source: 'admin',
    configured,
  });
  const { registration } = await server.anonymous().call(getSite);
  assert.deepEqual(registration, { mode: 'closed', domains: [] });
  await assert.rejects(setMode(ada, 'domains'), { status: 400 });
  await assert.rejects(setMode(ada, 'domains', ['not a domain']), { status: 400 });
});

test('REGISTRATION is one of four modes, and “domains” requires REGISTRATION_DOMAINS', () => {
  assert.deepEqual(readConfig({}).registration, { mode: 'open', domains: [] });
  const domains = { REGISTRATION: 'domains', REGISTRATION_DOMAINS: 'a.example,@B.example, a.example' };
  assert.deepEqual(readConfig(domains).registration.domains, ['a.example', 'b.example']);
  assert.throws(() => readConfig({ REGISTRATION: 'domains' }), /needs REGISTRATION_DOMAINS/);
  assert.throws(() => readConfig({ REGISTRATION: 'shut' }), /REGISTRATION must be one of/);
  assert.throws(() => readConfig({ REGISTRATION_DOMAINS: 'example' }), /must be domains/);
});

test('an invitation on an open installation verifies the address without a code', async (t) => {
  const server = await startTestServer(t);
  const { token } = await invite(server, await server.signIn('ada'));
  const nora = server.anonymous();
  await nora.call(register, { body: { ...NORA, invitationToken: token } });
  await assert.rejects(nora.call(verifyEmail, { body: { code: '000000' } }), { code: 'already_verified' });
  assert.deepEqual(await mailsTo(server, 'verification-code', NORA.email), []);
});

test('a deleted account leaves no invitation, and others are removed 30 days after they expire', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const { token } = await invite(server, ada);
  const nora = server.anonymous();
  await nora.call(register, { body: { ...NORA, invitationToken: token } });
  await nora.call(deleteAccount, { body: { password: PASSWORD } });
  assert.deepEqual(await ada.call(listAccountInvitations), []);
  await invite(server, ada);
  server.clock.advance(36 * DAY_MS);
  await server.drainJobs();
  assert.equal((await (await server.signIn('ada')).call(listAccountInvitations)).length, 1);
  server.clock.advance(2 * DAY_MS);
  await server.drainJobs();
  assert.deepEqual(await (await server.signIn('ada')).call(listAccountInvitations), []);
});

test('the list of invitations is paged', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const name of ['one', 'two', 'three']) {
    await invite(server, ada, `${name}@example.org`);
    server.clock.advance(1);
  }
  const first = await ada.fetch('/api/admin/account-invitations?limit=2');
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
  const rest = await ada.fetch(next);
  const pages = [await first.json(), await rest.json()] as { email: string }[][];
  const emails = pages.flat().map(({ email }) => email);
  assert.deepEqual(emails, ['three@example.org', 'two@example.org', 'one@example.org']);
  assert.equal(rest.headers.get('link'), null);
});

test('visitors with addresses outside the allowed domains get no code', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const settings = { mode: 'open' as const, domains: [], visitorDomains: ['partner.example'] };
  await ada.call(updateRegistration, { body: settings });
  const { token } = await startInvitation(await server.signIn('prem'));
  const requestVisitorCode = (email: string) =>
    server.anonymous().call(sendInvitationCode, { params: { token }, body: { email } });
  await assert.rejects(requestVisitorCode('vera@example.org'), { code: 'visitor_domain', status: 403 });
  await requestVisitorCode('vera@partner.example');
});
