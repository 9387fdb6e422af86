import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import type { CastName } from '../../../testing/cast.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createWorker } from '../../worker.ts';
import { writePreferences } from '../accounts/settings/preferences.ts';
import { listRecipients } from '../transfers/mails/recipients.ts';
import { claimNewDownloads, sendDownloadNotices } from './activity-notices.ts';

type Settings = { maxDownloads?: number; autoDeleteAfterDownloads?: boolean };

async function startWithTransfer(t: TestContext, owner: CastName = 'paula') {
  const server = await startTestServer(t);
  await live(server, HOUR_MS);
  const transfer = await send(server, owner);
  return { server, transfer };
}

async function send({ context, userId }: TestServer, owner: CastName, settings: Settings = {}) {
  const { id, token, files } = await createReadyTransfer(context, {
    userId: userId(owner),
    title: 'Rushes',
    recipientEmails: ['rex@example.org', 'rosa@example.org'],
    files: [{ path: 'a.txt', bytes: 'hello world' }],
    expiresAt: context.clock.now() + 30 * DAY_MS,
    ...settings,
  });
  const [rex, rosa] = (await listRecipients(context.db, id)).toSorted((a, b) => (a.email < b.email ? -1 : 1));
  return { id, token, fileId: files[0]!.id, rex: rex!, rosa: rosa! };
}

type Sent = Awaited<ReturnType<typeof send>>;

async function download(server: TestServer, transfer: Sent, r?: string): Promise<void> {
  await downloadAs(server, server.anonymous(), transfer, r);
}

async function downloadAs(
  server: TestServer,
  client: Client,
  { token, fileId }: Sent,
  r?: string,
): Promise<void> {
  const response = await client.fetch(fileDownloadPath(token, fileId, r));
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  await until(async () => {
    const open = await server.context.db
      .selectFrom('downloads')
      .select('id')
      .where('completedAt', 'is', null)
      .execute();
    return open.length === 0;
  });
}

let visitors = 0;

/** Opens the page, each time as another visitor. */
async function view(server: TestServer, { token }: Sent, r?: string): Promise<void> {
  visitors += 1;
  const userAgent = `Browser ${visitors}`;
  const path = `/api/download/${token}${r ? `?r=${r}` : ''}`;
  assert.equal((await server.anonymous().fetch(path, { headers: { 'user-agent': userAgent } })).status, 200);
  await until(async () => {
    const row = await server.context.db
      .selectFrom('transferViews')
      .select('id')
      .where('userAgent', '=', userAgent)
      .executeTakeFirst();
    return row !== undefined;
  });
}

/** Sends the pending notices and returns all mails of the kind so far. */
async function sendNotices(server: TestServer, kind: 'download-notice' | 'view-notice') {
  await live(server, 5 * MINUTE_MS);
  return (await server.mails()).filter((mail) => mail.kind === kind);
}

test('several downloads are reported in one mail that names the recipients who downloaded', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  for (const r of [transfer.rex.token, undefined, transfer.rex.token, undefined]) {
    await download(server, transfer, r);
  }
  const mails = await sendNotices(server, 'download-notice');
  assert.deepEqual(
    mails.map(({ recipient, transferId }) => [recipient, transferId]),
    [['paula@example.org', transfer.id]],
  );
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
  for (let times = 0; times < 3; times += 1) {
    await download(server, transfer);
    assert.equal(
      (await sendNotices(server, 'download-notice')).length,
      1,
      'later downloads within the hour wait',
    );
  }
  server.clock.advance(HOUR_MS);
  assert.equal((await sendNotices(server, 'download-notice')).length, 2);
  assert.equal((await sendNotices(server, 'view-notice')).length, 0);
});

test('the owner’s own downloads count but are not reported', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await downloadAs(server, await server.signIn('paula'), transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await downloadAs(server, await server.signIn('frida'), transfer);
  const [mail] = await sendNotices(server, 'download-notice');
  assert.match(mail!.text, /1 download|once/i);
});

test('each transfer gets its own mail', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const other = await send(server, 'prem');
  await download(server, transfer);
  await download(server, other);
  const mails = await sendNotices(server, 'download-notice');
  assert.deepEqual(mails.map(({ recipient }) => recipient).toSorted(), [
    'paula@example.org',
    'prem@example.org',
  ]);
});

test('an interrupted download is not reported until it is complete', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await download(server, transfer);
  await server.context.db.updateTable('downloads').set({ completedAt: null }).execute();
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await server.context.db.updateTable('downloads').set({ completedAt: server.clock.now() }).execute();
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
});

test('the owner’s settings decide whether views and downloads are reported', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await view(server, transfer, transfer.rosa.token);
  assert.equal((await sendNotices(server, 'view-notice')).length, 0);
  const { db } = server.context;
  await writePreferences(
    db,
    server.userId('paula'),
    { emailOnView: true, emailOnDownload: false },
    server.clock.now(),
  );
  await view(server, transfer, transfer.rex.token);
  await view(server, transfer);
  await download(server, transfer);
  const mails = await sendNotices(server, 'view-notice');
  assert.equal(mails.length, 1);
  assert.equal(mails[0]!.recipient, 'paula@example.org');
  assert.match(mails[0]!.text, /rex@example\.org/);
  assert.doesNotMatch(mails[0]!.text, /rosa@example\.org/);
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
});

test('Free owners get no mail about downloads and views, nor about earlier ones after an upgrade', async (t) => {
  const { server, transfer } = await startWithTransfer(t, 'frida');
  const { db } = server.context;
  const frida = server.userId('frida');
  const all = { emailOnDownload: true, emailOnView: true };
  await writePreferences(db, frida, all, server.clock.now());
  await download(server, transfer);
  await view(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await db.updateTable('users').set({ tier: 'pro' }).where('id', '=', frida).execute();
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await download(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
  await db.updateTable('users').set({ tier: 'free' }).where('id', '=', frida).execute();
  await download(server, transfer);
  await view(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
  assert.equal((await sendNotices(server, 'view-notice')).length, 0);
});

test('after days of downtime, events older than a day are not reported', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await download(server, transfer);
  server.clock.advance(DAY_MS + MINUTE_MS);
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await download(server, transfer);
  server.clock.advance(23 * HOUR_MS);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
});

test('clock jumps neither repeat nor lose a notice', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await download(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
  server.clock.jump(10 * HOUR_MS);
  await download(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 2);
  server.clock.jump(-10 * HOUR_MS);
  await server.drainJobs();
  await download(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 3);
  await live(server, 12 * HOUR_MS);
  assert.equal((await sendNotices(server, 'download-notice')).length, 3);
});

test('deleted accounts and transfers and unverified addresses get no mail', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { db } = server.context;
  const gone = await send(server, 'paula');
  const orphan = await send(server, 'prem');
  await download(server, gone);
  await download(server, orphan);
  const paula = await server.signIn('paula');
  await paula.call(deleteTransfer, { params: { id: gone.id } });
  const ofUser = (name: CastName) => db.updateTable('users').where('id', '=', server.userId(name));
  await ofUser('prem').set({ deletedAt: server.clock.now() }).execute();
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
  await ofUser('paula').set({ emailVerified: 0 }).execute();
  await download(server, transfer);
  assert.equal((await sendNotices(server, 'download-notice')).length, 0);
});

test('the last download of an auto-delete transfer is reported once, although the transfer is gone', async (t) => {
  const { server } = await startWithTransfer(t);
  const once = await send(server, 'paula', { maxDownloads: 2, autoDeleteAfterDownloads: true });
  await download(server, once);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
  await download(server, once, once.rex.token);
  await until(
    async () => (await server.mails()).filter(({ kind }) => kind === 'download-notice').length === 2,
  );
  const mails = await sendNotices(server, 'download-notice');
  const gone = await server.context.db
    .selectFrom('transfers')
    .select('id')
    .where('id', '=', once.id)
    .executeTakeFirst();
  assert.equal(gone, undefined);
  // The first mail was deleted with its transfer.
  assert.equal(mails.length, 1);
  const [last] = mails;
  assert.equal(last!.transferId, null);
  assert.match(last!.text, /rex@example\.org/);
  assert.match(last!.text, /were deleted, as you chose/);
});

test('concurrent processes send one notice', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await download(server, transfer);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 5 }, () => sendDownloadNotices(server.context, { signal })));
  assert.equal((await server.mails()).filter(({ kind }) => kind === 'download-notice').length, 1);
  await Promise.all([createWorker(server.context).drain(), createWorker(server.context).drain()]);
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
});

test('if a notice can’t be enqueued, its events stay unreported', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await download(server, transfer);
  await transaction(server.context.db, async (trx) => {
    assert.equal((await claimNewDownloads(trx, transfer.id, server.clock.now())).length, 1);
    throw new Error('no');
  }).catch(() => {});
  assert.equal((await sendNotices(server, 'download-notice')).length, 1);
});
