import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { startInvitation, visitInvitation } from '../../../testing/visitors/visit.ts';
import { startReceiver, verify } from '../../../testing/webhooks/webhook-receiver.ts';
import { subscribe, WITH_LOOPBACK } from '../../../testing/webhooks/webhooks.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { recordReadyEvent } from '../transfers/events.ts';

const REX = 'rex@example.org';
const BROWSER = { 'user-agent': 'Mozilla/5.0 (a visitor)' };

async function open(t: TestContext) {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  const { secret } = await subscribe(client, receiver.url);
  const { db } = server.context;
  return {
    server,
    receiver,
    client,
    async receivedEvents(): Promise<WebhookPayload[]> {
      await server.drainJobs();
      return receiver.received.map((each) => verify(each, secret, server.clock));
    },
    countDeliveries: async (type: string) =>
      (await db.selectFrom('webhookDeliveries').select('id').where('type', '=', type).execute()).length,
    send: (settings: object = {}) =>
      createReadyTransfer(server.context, {
        userId: server.userId('prem'),
        files: [{ path: 'a.txt', bytes: 'hello world' }],
        ...settings,
      }),
  };
}

test('a ready transfer is reported once, with the fields its owner sees and without the password', async (t) => {
  const { server, client, receiver, receivedEvents } = await open(t);
  const files = [
    { fileName: 'a.txt', bytes: Buffer.from('a') },
    { fileName: 'b.txt', bytes: Buffer.from('b') },
  ];
  const settings = { title: 'Rushes', password: 'open sesame', recipientEmails: [REX] };
  const { id } = await sendTransfer(client, files, settings);
  const [event, ...others] = await receivedEvents();
  assert.deepEqual(others, []);
  assert.equal(event?.type, 'transfer.ready');
  const {
    files: _files,
    recipients: _recipients,
    downloads: _downloads,
    nextFiles: _nextFiles,
    heldFiles: _heldFiles,
    ...transfer
  } = await client.call(getTransfer, { params: { id } });
  assert.deepEqual(event.data.transfer, transfer);
  const { body } = receiver.received[0]!;
  assert.doesNotMatch(body, /sesame|passwordHash|storageKey|ipAddress/);
  const { token } = await server.context.db
    .selectFrom('transferRecipients')
    .select('token')
    .executeTakeFirstOrThrow();
  assert.ok(!body.includes(token), 'the own links of recipients are theirs');
});

test('a rolled-back transaction sends no event', async (t) => {
  const { server, send, receivedEvents, countDeliveries } = await open(t);
  const { id } = await send();
  const { db } = server.context;
  const rolledBack = transaction(db, async (trx) => {
    await recordReadyEvent(trx, { id, receivedFrom: null, invitationId: null }, server.clock.now());
    assert.equal((await trx.selectFrom('webhookDeliveries').select('id').execute()).length, 1);
    throw new Error('too late');
  });
  await assert.rejects(rolledBack, /too late/);
  assert.equal(await countDeliveries('transfer.ready'), 0);
  assert.deepEqual(await receivedEvents(), []);
});

test('forty concurrent downloads with a limit of twelve send twelve events and one for the recipient’s first', async (t) => {
  const { server, send, receivedEvents, countDeliveries } = await open(t);
  const { token, files, id } = await send({ maxDownloads: 12, recipientEmails: [REX] });
  const { token: r } = await server.context.db
    .selectFrom('transferRecipients')
    .select('token')
    .where('transferId', '=', id)
    .executeTakeFirstOrThrow();
  const path = fileDownloadPath(token, files[0]!.id, r);
  const answers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const answer = await server.anonymous().fetch(path);
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  assert.equal(answers.filter((status) => status === 200).length, 12);
  await until(async () => (await countDeliveries('transfer.downloaded')) === 12);
  const events = await receivedEvents();
  const downloads = events.flatMap((each) =>
    each.type === 'transfer.downloaded' ? [each.data.download] : [],
  );
  assert.equal(new Set(downloads.map((each) => each.id)).size, 12);
  assert.ok(downloads.every((each) => each.recipientEmail === REX && each.fileId === files[0]!.id));
  const completed = events.flatMap((each) =>
    each.type === 'transfer.completed' ? [each.data.recipient] : [],
  );
  assert.deepEqual(
    completed.map(({ email }) => email),
    [REX],
  );
  assert.equal(events.length, 13);
});

test('visits within half an hour send one view event, and visits of the owner none', async (t) => {
  const { server, client, send, receivedEvents, countDeliveries } = await open(t);
  const { token } = await send();
  const address = `/api/download/${token}`;
  await client.fetch(address, { headers: BROWSER });
  await Promise.all(
    Array.from({ length: 20 }, () => server.anonymous().fetch(address, { headers: BROWSER })),
  );
  await until(async () => (await countDeliveries('transfer.viewed')) > 0);
  const events = await receivedEvents();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['transfer.viewed'],
  );
});

test('an expiring transfer sends one event per expiry', async (t) => {
  const { server, send } = await open(t);
  await live(server, HOUR_MS);
  const { id } = await send({ expiresAt: server.clock.now() + 2 * HOUR_MS });
  await live(server, DAY_MS / 2);
  const types = async () =>
    (await server.context.db.selectFrom('webhookDeliveries').select('type').execute()).length;
  assert.equal(await types(), 1);
  const { db } = server.context;
  const expiresAt = server.clock.now() + HOUR_MS;
  await db.updateTable('transfers').set({ expiresAt, isExpired: 0 }).where('id', '=', id).execute();
  await live(server, DAY_MS / 4);
  assert.equal(await types(), 2);
});

test('an upload through an invitation sends its own event instead of that of a sent transfer', async (t) => {
  const { server, client, receivedEvents } = await open(t);
  const invitation = await startInvitation(client);
  const visitor = await visitInvitation(server, invitation.token);
  const form = new FormData();
  form.append('files', new File(['hello'], 'hello.txt'));
  const answer = await visitor.fetch(`/api/upload-invitations/${invitation.token}/upload`, {
    method: 'POST',
    body: form,
  });
  assert.equal(answer.status, 201);
  const [event, ...others] = await receivedEvents();
  assert.deepEqual(others, []);
  assert.equal(event?.type, 'invitation.received');
  assert.equal(event.data.invitationId, invitation.id);
  assert.match(event.data.transfer.receivedFrom ?? '', /@/);
});

test('other event types, other plans and disabled webhooks get no events, and none are stored', async (t) => {
  const server = await startTestServer(t, WITH_LOOPBACK);
  const receiver = await startReceiver(t);
  const client = await server.signIn('prem');
  await subscribe(client, receiver.url, ['transfer.expired', 'transfer.viewed']);
  await sendTransfer(client, [{ fileName: 'a.txt', bytes: Buffer.from('a') }]);
  await server.context.db.updateTable('users').set({ tier: 'pro' }).execute();
  const { token } = await sendTransfer(client, [{ fileName: 'b.txt', bytes: Buffer.from('b') }]);
  await server.anonymous().fetch(`/api/download/${token}`, { headers: BROWSER });
  await until(async () => {
    const views = await server.context.db.selectFrom('transferViews').select('id').execute();
    return views.length === 1;
  });
  await server.drainJobs();
  assert.deepEqual(await server.context.db.selectFrom('webhookDeliveries').select('id').execute(), []);
  assert.deepEqual(receiver.received, []);
});
