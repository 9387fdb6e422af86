import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { writePreferences } from '../accounts/settings/preferences.ts';
import { addRecipients, listRecipients } from '../transfers/mails/recipients.ts';
import { sendExpiryNotices, sendReminders } from './expiry-notices.ts';

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]> & { lifeMs?: number };

/** Starts a server where Frida gets mails about expiring transfers. */
async function start(t: TestContext) {
  const server = await startTestServer(t);
  const { db, clock } = server.context;
  await writePreferences(db, server.userId('frida'), { emailOnExpiry: true }, clock.now());
  await live(server, HOUR_MS);
  return server;
}

async function send({ context, userId }: TestServer, { lifeMs = 3 * DAY_MS, ...settings }: Settings = {}) {
  const { id, token, files } = await createReadyTransfer(context, {
    userId: userId('frida'),
    title: 'Rushes',
    files: [{ path: 'a.txt', bytes: 'hello world' }],
    expiresAt: context.clock.now() + lifeMs,
    ...settings,
  });
  return { id, token, fileId: files[0]!.id };
}

async function download(server: TestServer, sent: { token: string; fileId: string }, r?: string) {
  await (await server.anonymous().fetch(fileDownloadPath(sent.token, sent.fileId, r))).arrayBuffer();
  await until(async () => {
    const { downloads } = await server.context.db
      .selectFrom('downloads')
      .select((eb) => eb.fn.countAll<number>().as('downloads'))
      .where('completedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(downloads) === 0;
  });
}

async function mailsTo(server: TestServer, kind: string): Promise<string[]> {
  const mails = await server.mails();
  return mails.flatMap((mail) => (mail.kind === kind ? [mail.recipient] : [])).toSorted();
}

const setExpiry = (server: TestServer, id: string, expiresAt: number) =>
  server.context.db.updateTable('transfers').set({ expiresAt }).where('id', '=', id).execute();

const REX = 'rex@example.org';
const ROSA = 'rosa@example.org';
const FRIDA = 'frida@example.org';

test('the owner on any plan is notified once when a transfer expires', async (t) => {
  const server = await start(t);
  await send(server, { lifeMs: 5 * HOUR_MS });
  await live(server, 5 * HOUR_MS - MINUTE_MS);
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), []);
  await live(server, 30 * MINUTE_MS);
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), [FRIDA]);
  await live(server, 2 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), [FRIDA]);
});

test('owners who opted in later get no notice about earlier expiries', async (t) => {
  const server = await start(t);
  const { db, clock } = server.context;
  await send(server, { userId: server.userId('paula'), lifeMs: HOUR_MS });
  await live(server, 2 * HOUR_MS);
  await writePreferences(db, server.userId('paula'), { emailOnExpiry: true }, clock.now());
  await live(server, 2 * HOUR_MS);
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), []);
});

test('a transfer extended after its expiry is reported again when it expires again', async (t) => {
  const server = await start(t);
  const { id } = await send(server, { lifeMs: HOUR_MS });
  await live(server, 2 * HOUR_MS);
  await setExpiry(server, id, server.clock.now() + DAY_MS);
  await live(server, 2 * HOUR_MS);
  assert.equal((await mailsTo(server, 'expiry-notice')).length, 1);
  await live(server, DAY_MS);
  assert.equal((await mailsTo(server, 'expiry-notice')).length, 2);
});

test('expiries more than a day before a restart are not reported', async (t) => {
  const server = await start(t);
  await send(server, { lifeMs: HOUR_MS });
  await send(server, { lifeMs: 40 * HOUR_MS });
  server.clock.advance(2 * DAY_MS);
  await live(server, HOUR_MS);
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), [FRIDA]);
});

test('a clock jump sends no mail, and none twice after the clock is corrected', async (t) => {
  const server = await start(t);
  await send(server, { lifeMs: 4 * DAY_MS, recipientEmails: [REX] });
  for (const leapMs of [3 * DAY_MS, 4 * DAY_MS + HOUR_MS, 3_650 * DAY_MS]) {
    server.clock.jump(leapMs);
    await server.drainJobs();
    server.clock.jump(-leapMs);
    await live(server, HOUR_MS);
  }
  assert.deepEqual(await server.mails(), []);
  await live(server, 5 * DAY_MS);
  const kinds = (await server.mails()).map(({ kind }) => kind).toSorted();
  assert.deepEqual(kinds, ['expiry-notice', 'recipient-reminder', 'sender-reminder']);
});

test('48 hours before expiry the sender and the recipients who haven’t downloaded are reminded once', async (t) => {
  const server = await start(t);
  const sent = await send(server, { recipientEmails: [REX, ROSA] });
  const [rex] = (await listRecipients(server.context.db, sent.id)).filter(({ email }) => email === REX);
  await download(server, sent, rex!.token);
  await live(server, DAY_MS - MINUTE_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), []);
  await live(server, 30 * MINUTE_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), [FRIDA]);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [ROSA]);
  await live(server, 3 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), [FRIDA]);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [ROSA]);
});

test('the sender is reminded if nobody has downloaded and not if everybody has', async (t) => {
  const server = await start(t);
  const transfer = await send(server, { recipientEmails: [REX] });
  const [rex] = await listRecipients(server.context.db, transfer.id);
  await download(server, transfer, rex!.token);
  const downloadedByStrangers = await send(server);
  await download(server, downloadedByStrangers);
  await live(server, 2 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), []);
  await send(server);
  await live(server, 2 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), [FRIDA]);
});

test('recipients are reminded even if the sender wants no mail', async (t) => {
  const server = await start(t);
  await send(server, { userId: server.userId('paula'), recipientEmails: [REX] });
  await live(server, 2 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), []);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [REX]);
});

test('short-lived, used-up, closed, scheduled and deleted transfers get no reminder', async (t) => {
  const server = await start(t);
  const { db, clock } = server.context;
  const recipientEmails = [REX];
  await send(server, { recipientEmails, lifeMs: 2 * DAY_MS });
  const usedUp = await send(server, { recipientEmails, maxDownloads: 1 });
  await download(server, usedUp);
  const closed = await send(server, { recipientEmails });
  await db.updateTable('transfers').set({ closedAt: clock.now() }).where('id', '=', closed.id).execute();
  await send(server, { recipientEmails, scheduledAvailableAt: clock.now() + 70 * HOUR_MS });
  const deleted = await send(server, { recipientEmails });
  const frida = await server.signIn('frida');
  await frida.call(deleteTransfer, { params: { id: deleted.id } });
  const orphan = await send(server, { userId: server.userId('prem'), recipientEmails });
  await db
    .updateTable('users')
    .set({ deletedAt: clock.now() })
    .where('id', '=', server.userId('prem'))
    .execute();
  assert.ok(orphan);
  await live(server, 4 * DAY_MS);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), []);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), []);
});

test('an extended transfer gets its next reminder before the new expiry, not sooner', async (t) => {
  const server = await start(t);
  const { id } = await send(server, { recipientEmails: [REX] });
  await live(server, 30 * HOUR_MS);
  assert.equal((await mailsTo(server, 'recipient-reminder')).length, 1);
  await setExpiry(server, id, server.clock.now() + 5 * DAY_MS);
  await live(server, 3 * DAY_MS - HOUR_MS);
  assert.equal((await mailsTo(server, 'recipient-reminder')).length, 1);
  await live(server, 2 * HOUR_MS);
  assert.equal((await mailsTo(server, 'recipient-reminder')).length, 2);
  assert.equal((await mailsTo(server, 'sender-reminder')).length, 2);
});

test('a short transfer extended beyond 48 hours gets a reminder', async (t) => {
  const server = await start(t);
  const { id } = await send(server, { recipientEmails: [REX], lifeMs: DAY_MS });
  await setExpiry(server, id, server.clock.now() + 4 * DAY_MS);
  await live(server, 2 * DAY_MS + HOUR_MS);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [REX]);
});

test('recipients added in the last 48 hours are not reminded', async (t) => {
  const server = await start(t);
  const { db, clock } = server.context;
  const { id } = await send(server, { recipientEmails: [REX] });
  server.clock.advance(DAY_MS + MINUTE_MS);
  await transaction(db, (trx) => addRecipients(trx, id, [ROSA], clock.now()));
  await live(server, 3 * HOUR_MS);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [REX]);
});

test('a reminder that is a day late is not sent', async (t) => {
  const server = await start(t);
  await send(server, { recipientEmails: [REX], lifeMs: 10 * DAY_MS });
  server.clock.advance(9 * DAY_MS + MINUTE_MS);
  await live(server, 3 * HOUR_MS);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), []);
});

test('concurrent processes send each notice and reminder once', async (t) => {
  const server = await start(t);
  await send(server, { lifeMs: 30 * MINUTE_MS });
  await send(server, { recipientEmails: [REX, ROSA], lifeMs: 2 * DAY_MS + MINUTE_MS });
  server.clock.advance(31 * MINUTE_MS);
  const { signal } = new AbortController();
  const runs = Array.from({ length: 5 }, () => [
    sendExpiryNotices(server.context, { signal }),
    sendReminders(server.context, { signal }),
  ]);
  await Promise.all(runs.flat());
  assert.deepEqual(await mailsTo(server, 'expiry-notice'), [FRIDA]);
  assert.deepEqual(await mailsTo(server, 'sender-reminder'), [FRIDA]);
  assert.deepEqual(await mailsTo(server, 'recipient-reminder'), [REX, ROSA]);
});
