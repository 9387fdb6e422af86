import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { updatePreferences } from '../../../../contracts/accounts/settings.ts';
import {
  askToReopen,
  REOPEN_NOTE_MAX,
  viewDownload,
} from '../../../../contracts/transfers/downloads/downloads.ts';
import { updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { transferPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]>;

const start = (t: TestContext, env: Record<string, string> = {}) => startTestServer(t, env);

function create({ context, userId }: TestServer, settings: Settings = {}) {
  return createReadyTransfer(context, {
    userId: userId('paula'),
    title: 'Rushes',
    files: [{ path: 'a.txt', bytes: 'hello' }],
    ...settings,
  });
}

const createExpired = (server: TestServer, settings: Settings = {}) =>
  create(server, { expiresAt: server.clock.now() - HOUR_MS, ...settings });

async function createUsedUp(server: TestServer, settings: Settings = {}) {
  const transfer = await create(server, { maxDownloads: 1, ...settings });
  await download(server.anonymous(), transfer);
  return transfer;
}

async function download(guest: Client, { token, files }: { token: string; files: { id: string }[] }) {
  const answer = await guest.fetch(`/api/download/${token}/file/${files[0]!.id}`);
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
}

const ask = (guest: Client, { token }: { token: string }, note?: string) =>
  guest.call(askToReopen, { params: { token }, body: { note } });

const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

const listRequests = async (server: TestServer) =>
  (await server.mails()).filter(({ kind }) => kind === 'reopen-request');

test('the owner of an expired transfer is mailed with the note and a link to extend it', async (t) => {
  const server = await start(t);
  const transfer = await createExpired(server);
  await ask(server.anonymous(), transfer, ' I was away. <b>Please</b>, see https://evil.example/login ');
  const [mail, ...others] = await listRequests(server);
  assert.deepEqual(others, []);
  assert.equal(mail!.recipient, 'paula@example.org');
  assert.equal(mail!.subject, 'Someone asks you to reopen “Rushes”');
  assert.equal(mail!.replyTo, null);
  assert.match(mail!.text, /wants to download “Rushes”, which has expired/);
  assert.match(mail!.text, /I was away\. <b>Please<\/b>, see \[link removed\]/);
  assert.match(mail!.html, /&lt;b&gt;Please/);
  assert.ok(mail!.text.includes(server.context.config.publicUrl + transferPath(transfer.id)));

  const paula = await server.signIn('paula');
  await paula.call(updateTransfer, { params: { id: transfer.id }, body: { expirationDays: 2 } });
  await download(server.anonymous(), transfer);
});

test('the owner of a used-up transfer is mailed, and a higher limit reopens it', async (t) => {
  const server = await start(t);
  const transfer = await createUsedUp(server);
  await ask(server.anonymous(), transfer);
  const [mail] = await listRequests(server);
  assert.match(mail!.text, /has reached its limit of 1 download\b/);
  const paula = await server.signIn('paula');
  await paula.call(updateTransfer, { params: { id: transfer.id }, body: { maxDownloads: 2 } });
  await download(server.anonymous(), transfer);
});

test('a transfer can be used up, and be asked for, while its files are still arriving', async (t) => {
  const server = await start(t);
  const paula = await server.signIn('paula');
  const files = ['a.txt', 'b.txt'].map((name) => ({ name, bytes: Buffer.from('hello') }));
  const { id, token, files: sent } = await publishFiles(paula, files, { maxDownloads: 1 });
  await storeChunk(paula, sent[0]!, 0);
  // In a bucket, only complete files can be read.
  await paula.call(completeUploads, { body: { transferId: id, uploadIds: [sent[0]!.uploadId] } });
  const transfer = { token, files: [{ id: sent[0]!.uploadId }] };
  await download(server.anonymous(), transfer);
  await ask(server.anonymous(), transfer);
  const [mail] = await listRequests(server);
  assert.match(mail!.text, /has reached its limit of 1 download\b/);
  await paula.call(updateTransfer, { params: { id }, body: { maxDownloads: 2 } });
  await download(server.anonymous(), transfer);
});

test('parallel requests send one mail per transfer in 12 hours, and all get the same answer', async (t) => {
  const server = await start(t, { RATE_LIMIT: 'off' });
  const [first, second] = [await createExpired(server), await createExpired(server)];
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      server.anonymous().fetch(`/api/download/${first.token}/reopen-requests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204]);
  assert.equal((await listRequests(server)).length, 1);
  await ask(server.anonymous(), second);
  assert.equal((await listRequests(server)).length, 2);
  server.clock.advance(12 * HOUR_MS - 1);
  await ask(server.anonymous(), first);
  assert.equal((await listRequests(server)).length, 2);
  server.clock.advance(1);
  await ask(server.anonymous(), first);
  assert.equal((await listRequests(server)).length, 3);
});

test('an owner gets at most 20 such mails a day, and further ones can be sent the next day', async (t) => {
  const server = await start(t, { TRUST_PROXY: '1' });
  const transfers = await Promise.all(Array.from({ length: 22 }, () => createExpired(server)));
  const askFrom = async (index: number) => {
    const { status } = await server
      .anonymous()
      .fetch(`/api/download/${transfers[index]!.token}/reopen-requests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${index}` },
        body: '{}',
      });
    assert.equal(status, 204);
  };
  for (const index of transfers.keys()) await askFrom(index);
  assert.equal((await listRequests(server)).length, 20);
  server.clock.advance(DAY_MS);
  await askFrom(21);
  assert.equal((await listRequests(server)).length, 21);
});

test('requests are limited per address', async (t) => {
  const server = await start(t);
  const transfer = await createExpired(server);
  const guest = server.anonymous();
  for (let index = 0; index < 20; index += 1) await ask(guest, transfer);
  await assert.rejects(ask(guest, transfer), refusedAs('too_many_requests'));
});

test('owners who turned these mails off, or whose address is not verified, get none', async (t) => {
  const server = await start(t);
  const paula = await server.signIn('paula');
  await paula.call(updatePreferences, { body: { emailOnReopenRequest: false } });
  await ask(server.anonymous(), await createExpired(server));
  await server.context.db
    .updateTable('users')
    .set({ emailVerified: 0 })
    .where('id', '=', server.userId('frida'))
    .execute();
  await ask(server.anonymous(), await createExpired(server, { userId: server.userId('frida') }));
  assert.deepEqual(await listRequests(server), []);
});

test('open, locked, scheduled, taken-down and unknown transfers are refused', async (t) => {
  const server = await start(t);
  const { db, clock } = server.context;
  const guest = server.anonymous();
  const takenDown = await createExpired(server);
  await db
    .updateTable('transfers')
    .set({ takenDownAt: clock.now() })
    .where('id', '=', takenDown.id)
    .execute();
  const cases = [
    [await create(server), 'transfer_not_closed'],
    [await create(server, { maxDownloads: 2 }), 'transfer_not_closed'],
    [await create(server, { password: 'open sesame' }), 'transfer_not_closed'],
    [await create(server, { scheduledAvailableAt: clock.now() + HOUR_MS }), 'transfer_not_closed'],
    [takenDown, 'transfer_taken_down'],
    [{ token: '0'.repeat(26) }, 'transfer_not_found'],
  ] as const;
  for (const [transfer, code] of cases) await assert.rejects(ask(guest, transfer), refusedAs(code), code);
  assert.deepEqual(await listRequests(server), []);
});

test('a transfer that its last download deletes cannot be reopened, and its page does not offer it', async (t) => {
  const server = await start(t);
  const { db, clock } = server.context;
  const guest = server.anonymous();
  const transfer = await create(server, { maxDownloads: 1, autoDeleteAfterDownloads: true });
  await db
    .updateTable('transfers')
    .set({ downloadCount: 1, closedAt: clock.now() })
    .where('id', '=', transfer.id)
    .execute();
  const view = () => guest.call(viewDownload, { params: { token: transfer.token } });
  assert.equal((await view()).isDeleting, true);
  await assert.rejects(ask(guest, transfer), refusedAs('transfer_used_up'));
  await db
    .updateTable('transfers')
    .set({ expiresAt: clock.now() - 1 })
    .where('id', '=', transfer.id)
    .execute();
  assert.deepEqual(await view(), { isExpired: true, isDeleting: true });
  await assert.rejects(ask(guest, transfer), refusedAs('transfer_used_up'));
  assert.deepEqual(await listRequests(server), []);
});

test('the note is short, and unknown fields are refused', async (t) => {
  const server = await start(t);
  const { token } = await createExpired(server);
  const guest = server.anonymous();
  const send = (body: object) => guest.call(askToReopen, { params: { token }, body: body as never });
  await assert.rejects(send({ note: 'x'.repeat(REOPEN_NOTE_MAX + 1) }), refusedAs('invalid_input'));
  await assert.rejects(send({ email: 'rex@example.org' }), refusedAs('invalid_input'));
  await send({ note: 'x'.repeat(REOPEN_NOTE_MAX) });
});
