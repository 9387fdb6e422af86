import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import { getCurrentUser, login, register } from '../../../contracts/accounts/accounts.ts';
import { requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { updatePreferences, updateProfile } from '../../../contracts/accounts/settings.ts';
import { listUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { sharePath } from '../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import {
  countBlobs,
  countRows,
  existsUser,
  passMinutes,
  removeAccount,
} from '../../../testing/calls/left-of-account.ts';
import { mailsTo } from '../../../testing/calls/mailed-tokens.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunk,
  sendChunks,
  uploadFile,
} from '../../../testing/uploads/upload-files.ts';
import { requestCode, startInvitation, visitInvitation } from '../../../testing/visitors/visit.ts';
import { randomId } from '../../platform/lib/tokens.ts';

test('deleting an account removes its sessions, transfers and bytes, and finally its row', async (t) => {
  const server = await startTestServer(t);
  const [here, elsewhere] = [await server.signIn('paula'), await server.signIn('paula')];
  const { token } = await uploadFile(here, 'gone.bin', makeBytes(50));
  await announceFile(here, 'unfinished.bin', makeBytes(70));
  await here.call(updatePreferences, { body: { emailOnView: true } });
  await here.call(requestPasswordReset, { body: { email: CAST.paula.email } });
  await linkIdentityTo(server, 'paula');
  await server.drainJobs();
  await removeAccount(here);
  assert.deepEqual(here.jar.list(), []);
  for (const client of [here, elsewhere]) await assert.rejects(client.call(getCurrentUser), { status: 401 });
  assert.equal((await here.fetch(`/api${sharePath(token)}`)).status, 404);
  assert.deepEqual(await countRows(server, 'paula'), { transfers: 2, uploads: 2, monthlyUsage: 1 });

  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'paula'), false);
  assert.deepEqual(await countRows(server, 'paula'), {});
  assert.equal(await countBlobs(server), 0);
  assert.deepEqual(
    await server.context.db.selectFrom('jobs').select('name').where('uniqueKey', 'like', 'remove%').execute(),
    [],
  );
  await (await server.signIn('frida')).call(getCurrentUser);
});

async function linkIdentityTo({ context, clock, userId }: TestServer, name: 'paula'): Promise<void> {
  const of = { userId: userId(name), providerId: randomId(), issuer: 'https://id.example.com' };
  const row = {
    ...of,
    id: randomId(),
    subject: 'paula-1',
    email: null,
    createdAt: clock.now(),
    lastUsedAt: null,
  };
  await context.db.insertInto('externalIdentities').values(row).execute();
}

test('deleting an account removes its invitations, their visits and queued codes', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const invitation = await startInvitation(prem);
  const visitor = await visitInvitation(server, invitation.token);
  await requestCode(server, visitor, { invitationToken: invitation.token, email: 'late@example.net' });
  const counts = await countRows(server, 'prem');
  assert.deepEqual([counts.uploadInvitations, counts.uploadInvitationVerifications], [1, 2]);
  await removeAccount(prem);
  assert.deepEqual(await countRows(server, 'prem'), {});
  const [mail] = await mailsTo(server, 'visitor-code', 'late@example.net');
  assert.deepEqual([mail!.state, mail!.text], ['dropped', '']);
  const query = { invitationToken: invitation.token };
  await assert.rejects(visitor.call(listUploads, { query }), { status: 404, code: 'invitation_not_found' });
  await passMinutes(server, 2);
  assert.equal(await existsUser(server, 'prem'), false);
});

test('the row of a deleted account contains no personal data', async (t) => {
  const server = await startTestServer(t);
  await removeAccount(await server.signIn('frida'));
  const id = server.userId('frida');
  const row = await server.context.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.ok(!/frida/i.test(JSON.stringify(row)));
  assert.deepEqual([row.name, row.isAdmin, row.deletedAt], ['', 0, server.clock.now()]);
  await assert.rejects(
    server.anonymous().call(login, { body: { username: row.username, password: PASSWORD } }),
    {
      status: 401,
      code: 'wrong_credentials',
    },
  );
});

test('username and address of a deleted account are unknown and free immediately', async (t) => {
  const server = await startTestServer(t);
  await removeAccount(await server.signIn('frida'));
  const { username, email } = CAST.frida;
  for (const name of [username, email])
    await assert.rejects(server.anonymous().call(login, { body: { username: name, password: PASSWORD } }), {
      status: 401,
      code: 'wrong_credentials',
    });
  const body = { name: 'Frida Again', username, email, password: 'new password' };
  const again = await server.anonymous().call(register, { body });
  assert.notEqual(again.id, server.userId('frida'));
  await passMinutes(server, 2);
  await server.anonymous().call(login, { body });
});

test('the confirmation is mailed to the account’s former address and outlives its row', async (t) => {
  const server = await startTestServer(t);
  await removeAccount(await server.signIn('frida'));
  await passMinutes(server, 2);
  assert.equal((await mailsTo(server, 'account-deleted', CAST.frida.email)).length, 1);
});

test('only the current password deletes an account, and wrong ones are counted', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await assert.rejects(removeAccount(frida, ''), { status: 400 });
  for (let tries = 0; tries < 9; tries += 1)
    await assert.rejects(removeAccount(frida, 'wrong'), (error: ApiError) => {
      assert.deepEqual([error.status, error.code], [400, 'wrong_current_password']);
      assert.deepEqual(error.problem.errors, { password: 'Your current password is incorrect.' });
      return true;
    });
  // Wrong passwords in the profile use the same counter.
  const change = { email: 'new@example.org', currentPassword: 'wrong' };
  await assert.rejects(frida.call(updateProfile, { body: change }), { status: 400 });
  await assert.rejects(removeAccount(frida), (error: ApiError) => {
    assert.deepEqual([error.status, error.retryAfterSeconds], [429, 900]);
    return true;
  });
  server.clock.advance(15 * MINUTE_MS);
  await removeAccount(frida);
});

test('of parallel deletions of one account one succeeds', async (t) => {
  const server = await startTestServer(t);
  const clients = await Promise.all(Array.from({ length: 4 }, () => server.signIn('frida')));
  const answers = await Promise.allSettled(clients.map((client) => removeAccount(client)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers)
    if (answer.status === 'rejected') assert.ok([400, 401].includes(answer.reason.status));
  assert.equal((await mailsTo(server, 'account-deleted', CAST.frida.email)).length, 1);
});

test('the last administrator cannot delete their account', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  await assert.rejects(removeAccount(ada), { status: 409, code: 'last_admin' });
  assert.equal((await ada.call(getCurrentUser)).isAdmin, true);
});

test('when two administrators delete themselves at the same time, one remains', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  await db.updateTable('users').set({ isAdmin: 1 }).where('usernameKey', '=', 'prem').execute();
  const clients = [await server.signIn('ada'), await server.signIn('prem')];
  const answers = await Promise.allSettled(clients.map((client) => removeAccount(client)));
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  assert.deepEqual(refusals, ['last_admin']);
  assert.equal((await db.selectFrom('users').select('id').where('isAdmin', '=', 1).execute()).length, 1);
});

test('a running upload is refused after the deletion, and no transfer appears', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(100);
  const { uploadId } = await announceFile(frida, 'half.bin', bytes);
  await sendChunks(frida, uploadId, bytes);
  const session = frida.jar.list();
  await removeAccount(frida);
  for (const cookie of session) frida.jar.add(cookie);
  const late = await sendChunk(frida, { uploadId, index: 0, body: new Uint8Array(bytes) });
  assert.equal(late.status, 401);
  await assert.rejects(completeFile(frida, uploadId), { status: 401 });
  await passMinutes(server, 2);
  assert.deepEqual(await countRows(server, 'frida'), {});
  assert.equal(await countBlobs(server), 0);
});

test('an account deleted during announcing, sending and completing leaves no transfer and mails no recipient', async (t) => {
  const server = await startTestServer(t);
  const names = ['frida', 'paula', 'prem'] as const;
  for (const name of names) {
    const client = await server.signIn(name);
    const bytes = makeBytes(100, name);
    const ready = await announceFile(client, 'ready.bin', bytes);
    await sendChunks(client, ready.uploadId, bytes);
    const uploader = server.anonymous();
    for (const cookie of client.jar.list()) uploader.jar.add(cookie);
    const running = [
      completeFile(uploader, ready.uploadId, { recipientEmails: ['rex@example.org'] }),
      announceFile(uploader, 'new.bin', bytes),
      sendChunks(uploader, ready.uploadId, bytes),
      completeFile(uploader, ready.uploadId, { recipientEmails: ['rex@example.org'] }),
    ];
    const [deleted, ...others] = await Promise.allSettled([removeAccount(client), ...running]);
    assert.equal(deleted.status, 'fulfilled');
    // A chunk that the deletion interrupts is answered 503, and the retry 401.
    for (const each of others)
      if (each.status === 'rejected')
        assert.ok(!/(^|: )5(?!03)\d\d/.test(each.reason.message), each.reason.message);
  }
  const waiting = (await server.mails()).filter(
    ({ state, recipient }) => state === 'queued' && recipient.startsWith('rex'),
  );
  assert.deepEqual(waiting, []);
  await passMinutes(server, 3);
  for (const name of names) {
    assert.equal(await existsUser(server, name), false);
    assert.deepEqual(await countRows(server, name), {});
  }
});
