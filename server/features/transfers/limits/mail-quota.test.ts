import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { register } from '../../../../contracts/accounts/accounts.ts';
import { getTransfer, resendTransfer, updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunks,
} from '../../../../testing/uploads/upload-files.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { newUser } from '../../accounts/users/users.ts';
import { chargeMails } from './mail-quota.ts';

const BYTES = makeBytes(10);

function addresses(count: number, name = 'rex'): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}@example.org`);
}

async function start(t: TestContext) {
  const server = await startTestServer(t);
  return { server, frida: await server.signIn('frida') };
}

async function makeTransfer(server: TestServer): Promise<string> {
  const files = [{ path: 'a.txt', bytes: 'hello' }];
  return (await createReadyTransfer(server.context, { userId: server.userId('frida'), files })).id;
}

async function resend(server: TestServer, client: Client, recipientEmails: string[]) {
  const params = { id: await makeTransfer(server) };
  return client.call(resendTransfer, { params, body: { recipientEmails } });
}

/** Announces and sends a file without completing it. */
async function prepareUpload(client: Client, fileName = 'a.bin') {
  const { uploadId, transferId } = await announceFile(client, fileName, BYTES);
  await sendChunks(client, uploadId, BYTES);
  return { uploadId, transferId };
}

/** Mails enough people to leave `left` of the daily quota. */
async function useAllBut(server: TestServer, client: Client, left: number): Promise<void> {
  for (let open = 200 - left; open > 0; open -= 50)
    await resend(server, client, addresses(Math.min(50, open)));
}

const isDailyRefusal = (error: unknown) => error instanceof ApiError && error.code === 'daily_mails_exceeded';

test('a completion beyond the daily two hundred is refused and changes nothing', async (t) => {
  const { server, frida } = await start(t);
  await useAllBut(server, frida, 1);
  server.clock.advance(HOUR_MS);
  const { uploadId, transferId } = await prepareUpload(frida);
  const settings = { title: 'Plans', recipientEmails: addresses(2), fileCount: 1 };
  await assert.rejects(completeFile(frida, uploadId, settings), (error) => {
    assert.ok(isDailyRefusal(error) && error instanceof ApiError);
    assert.equal(error.status, 429);
    assert.equal(error.retryAfterSeconds, (DAY_MS - HOUR_MS) / 1000);
    assert.equal(
      error.problem.detail,
      'You can email 1 more people today. Share the link yourself, or try again in 23 hours.',
    );
    return true;
  });
  const transfer = await server.context.db
    .selectFrom('transfers')
    .selectAll()
    .where('id', '=', transferId)
    .executeTakeFirstOrThrow();
  assert.deepEqual([transfer.status, transfer.expectedFiles, transfer.title], ['draft', null, null]);

  await completeFile(frida, uploadId, { ...settings, recipientEmails: [] });
  assert.equal((await frida.call(getTransfer, { params: { id: transferId } })).title, 'Plans');
});

test('the same completion succeeds a day later, or with as many recipients as remain', async (t) => {
  const { server, frida } = await start(t);
  await useAllBut(server, frida, 0);
  const settings = { recipientEmails: addresses(3) };
  const { uploadId } = await prepareUpload(frida);
  await assert.rejects(completeFile(frida, uploadId, settings), isDailyRefusal);
  server.clock.advance(DAY_MS - HOUR_MS);
  await assert.rejects(completeFile(frida, uploadId, settings), isDailyRefusal);
  server.clock.advance(HOUR_MS);
  const before = (await server.mails()).length;
  await completeFile(frida, uploadId, settings);
  assert.equal((await server.mails()).length, before + 3);
});

test('the first completion of a transfer of several files counts its recipients', async (t) => {
  const { server, frida } = await start(t);
  const first = await prepareUpload(frida);
  const second = await announceFile(frida, 'b.bin', BYTES, first.transferId);
  await sendChunks(frida, second.uploadId, BYTES);
  const settings = { fileCount: 2, recipientEmails: addresses(50) };
  await completeFile(frida, first.uploadId, settings);
  await useAllBut(server, frida, 50);
  await assert.rejects(resend(server, frida, ['rex@example.org']), isDailyRefusal);
  const before = (await server.mails()).length;
  await completeFile(frida, second.uploadId, settings);
  assert.equal((await server.mails()).length, before + 50);
});

test('recipients added by an edit count as well, and a refused edit changes nothing', async (t) => {
  const { server, frida } = await start(t);
  await useAllBut(server, frida, 2);
  const params = { id: await makeTransfer(server) };
  const edit = (body: object) => frida.call(updateTransfer, { params, body });
  await assert.rejects(edit({ title: 'New', recipientEmails: addresses(3) }), isDailyRefusal);
  const { title, recipients } = await frida.call(getTransfer, { params });
  assert.deepEqual([title, recipients], [null, []]);
  await edit({ recipientEmails: addresses(2) });
  await edit({ recipientEmails: addresses(1), title: 'Fewer' });
  await assert.rejects(edit({ recipientEmails: addresses(2) }), isDailyRefusal);
});

test('concurrent calls mail exactly as many people as the daily limit allows', async (t) => {
  const { server, frida } = await start(t);
  const uploads = [];
  for (let index = 0; index < 5; index += 1) uploads.push(await prepareUpload(frida, `${index}.bin`));
  const calls = [
    ...uploads.map(({ uploadId }) => completeFile(frida, uploadId, { recipientEmails: addresses(45, 'c') })),
    ...Array.from({ length: 5 }, () => resend(server, frida, addresses(45, 'r'))),
  ];
  const outcomes = await Promise.allSettled(calls);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 4);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(isDailyRefusal(outcome.reason));
  assert.equal((await server.mails()).length, 180);
  await resend(server, frida, addresses(20));
  await assert.rejects(resend(server, frida, ['rex@example.org']), isDailyRefusal);
});

test('a mailbox gets at most twenty mails an hour from one sender, however its address is written', async (t) => {
  const { server, frida } = await start(t);
  for (let index = 0; index < 20; index += 1)
    await resend(server, frida, [index % 2 ? 'REX@example.org' : 'rex@example.org']);
  await assert.rejects(resend(server, frida, ['vera@example.org', 'Rex@example.org']), (error) => {
    assert.ok(error instanceof ApiError && error.code === 'mailbox_mails_exceeded');
    assert.equal(error.retryAfterSeconds, HOUR_MS / 1000);
    assert.equal(
      error.problem.detail,
      'Rex@example.org cannot receive more emails right now. Share the link yourself, or try again in 60 minutes.',
    );
    return true;
  });
  assert.equal((await server.mails()).length, 20);
  await resend(server, frida, ['vera@example.org']);
  server.clock.advance(HOUR_MS);
  await resend(server, frida, ['rex@example.org']);
});

const NETWORK = '203.0.113.7';

async function addSenders(server: TestServer, count: number, more: Partial<UserRow> = {}): Promise<string[]> {
  const { db, clock } = server.context;
  const standing = { emailVerified: 1, isAdmin: 0, tier: 'free' } as const;
  const rows = Array.from({ length: count }, (_, index) => {
    const username = `sender${index}`;
    const person = { name: username, username, email: `${username}@example.org`, passwordHash: '' };
    return { ...newUser(person, standing, clock.now()), ...more };
  });
  await db.insertInto('users').values(rows).execute();
  return rows.map(({ id }) => id);
}

/** Charges the mail quota as every transaction that schedules mails does. */
function charge(server: TestServer, senderId: string, emails: string[], address = NETWORK): Promise<void> {
  const { context } = server;
  return transaction(context.db, (trx) => chargeMails(trx, context, { senderId, emails, address }));
}

const isMailboxRefusal = (error: unknown) => isAppError(error, 'mailbox_mails_exceeded');
const isDayRefusal = (error: unknown) => isAppError(error, 'daily_mails_exceeded');

test('a mailbox gets at most thirty mails an hour from all free senders, however its address is written', async (t) => {
  const { server } = await start(t);
  const [one, two, three] = await addSenders(server, 3);
  const variants = (count: number) => Array.from({ length: count }, (_, index) => `r.ex+${index}@gmail.com`);
  await charge(server, one!, variants(20));
  await assert.rejects(charge(server, one!, ['Rex@googlemail.com']), isMailboxRefusal);
  await charge(server, two!, variants(5));
  // Of concurrent callers, exactly as many succeed as the limit allows.
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => charge(server, three!, [`REX+${index}@gmail.com`])),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
  await assert.rejects(charge(server, two!, ['vera@example.org', 'rex@gmail.com']), isMailboxRefusal);
  await charge(server, two!, ['vera@example.org', 'rex@example.org']);

  const paula = server.userId('paula');
  await charge(server, paula, variants(20));
  await assert.rejects(charge(server, paula, ['rex@gmail.com']), isMailboxRefusal);

  for (let hour = 0; hour < 3; hour += 1) {
    server.clock.advance(HOUR_MS);
    await charge(server, one!, variants(20));
    if (hour < 2) await charge(server, two!, variants(5));
  }
  await assert.rejects(charge(server, two!, ['rex@gmail.com']), isMailboxRefusal, 'the day is full');
  await charge(server, paula, ['rex@gmail.com']);
});

test('a self-registered account starts with twenty people a day', async (t) => {
  const { server } = await start(t);
  const client = server.anonymous();
  const person = { name: 'Nova', username: 'nova', email: 'nova@example.org', password: 'correct horse' };
  await client.call(register, { body: person });
  const { id, registeredAt } = await server.context.db
    .selectFrom('users')
    .selectAll()
    .where('username', '=', 'nova')
    .executeTakeFirstOrThrow();
  assert.equal(registeredAt, server.clock.now());

  await charge(server, id, addresses(20));
  await assert.rejects(charge(server, id, ['vera@example.org']), isDayRefusal);
  server.clock.advance(2 * DAY_MS);
  await assert.rejects(charge(server, id, addresses(21)), isDayRefusal);
  await server.context.db.updateTable('users').set({ tier: 'pro' }).where('id', '=', id).execute();
  await charge(server, id, addresses(21));
  await server.context.db.updateTable('users').set({ tier: 'free' }).where('id', '=', id).execute();
  server.clock.advance(DAY_MS);
  await charge(server, id, addresses(200));
  await assert.rejects(charge(server, id, ['vera@example.org']), isDayRefusal);
});

test('accounts of one network share a daily limit, and new accounts among them a smaller one', async (t) => {
  const { server } = await start(t);
  const starting = await addSenders(server, 6, { registeredAt: server.clock.now() });
  for (const [index, id] of starting.slice(0, 5).entries())
    await charge(server, id, addresses(20, `people${index}-`));
  await assert.rejects(charge(server, starting[5]!, ['vera@example.org']), isDayRefusal);
  await charge(server, starting[5]!, ['vera@example.org'], '203.0.113.8');
  await charge(server, server.userId('frida'), addresses(200));

  server.clock.advance(4 * DAY_MS);
  for (const [index, id] of starting.slice(0, 5).entries())
    await charge(server, id, addresses(200, `people${index}-`));
  await assert.rejects(charge(server, starting[5]!, ['vera@example.org']), isDayRefusal);
  await charge(server, server.userId('paula'), ['vera@example.org']);
});

test('deleting an account and registering again with the same mailbox does not reset the quota', async (t) => {
  const { server } = await start(t);
  const [first] = await addSenders(server, 1);
  await charge(server, first!, addresses(200));
  await server.context.db.deleteFrom('users').where('id', '=', first!).execute();
  const again = { email: 'Sender0+again@example.org', emailKey: 'sender0+again@example.org' };
  const [second] = await addSenders(server, 1, again);
  await assert.rejects(charge(server, second!, ['vera@example.org']), isDayRefusal);
});

test('RATE_LIMIT=off counts nothing', async (t) => {
  const server = await startTestServer(t, { RATE_LIMIT: 'off' });
  const frida = await server.signIn('frida');
  for (let index = 0; index < 5; index += 1) await resend(server, frida, addresses(50));
  assert.equal((await server.mails()).length, 250);
});
