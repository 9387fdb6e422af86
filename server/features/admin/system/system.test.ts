import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, register } from '../../../../contracts/accounts/accounts.ts';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import {
  findRecipient,
  getStorageTruth,
  listDamagedFiles,
  listJobs,
  listMails,
  retryJob,
  retryMail,
} from '../../../../contracts/admin/system.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { CastName } from '../../../../testing/cast.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startSmtpServer } from '../../../../testing/network/smtp-server.ts';
import { filesAreOnDisk } from '../../../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { announceFile, makeBytes, sendChunk } from '../../../../testing/uploads/upload-files.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { addOptOut } from '../../../platform/mail/opt-outs.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { removeTransferDataJob } from '../../transfers/lifecycle/deletion.ts';
import { sweepUploads } from '../../uploads/sweep/sweep.ts';

const UNKNOWN = '0'.repeat(26);

test('storage figures separate committed, reserved and waiting bytes', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const empty = await ada.call(getStorageTruth);
  assert.deepEqual(
    { ...empty, disk: null, database: null },
    {
      committed: 0,
      reserved: 0,
      received: 0,
      waitingForDeletion: 0,
      orphaned: 0,
      orphanedBlobs: 0,
      youngOrphaned: 0,
      youngOrphanedBlobs: 0,
      trashed: 0,
      trashedBlobs: 0,
      oldestTrashedAt: null,
      lastSweep: null,
      damagedFiles: 0,
      scrubDelaySeconds: null,
      disk: null,
      database: null,
      lastBackupAt: null,
    },
  );
  assert.ok(empty.database.bytes > 0);
  assert.equal(empty.disk !== null, filesAreOnDisk);
  if (empty.disk) assert.ok(empty.disk.freeBytes > 0 && empty.disk.totalBytes > empty.disk.freeBytes);
  const make = (bytes: number) =>
    createReadyTransfer(server.context, {
      userId: server.userId('frida'),
      files: [{ path: 'a.txt', bytes: 'x'.repeat(bytes) }],
    });
  const [, gone] = [await make(1_000), await make(300)];
  await announceFile(frida, 'open', makeBytes(70));
  await announceFile(frida, 'joins', makeBytes(5), gone.id);
  await frida.call(deleteTransfer, { params: { id: gone.id } });
  const told = await ada.call(getStorageTruth);
  assert.deepEqual([told.committed, told.reserved, told.waitingForDeletion], [1_000, 70, 305]);
  await server.drainJobs();
  const after = await ada.call(getStorageTruth);
  assert.deepEqual([after.committed, after.reserved, after.waitingForDeletion], [1_000, 70, 0]);
});

test('damaged files are counted, and listed in pages with their transfers and owners', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const ada = await server.signIn('ada');
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    title: 'Pictures',
    files: ['a', 'b', 'c', 'd'].map((path) => ({ path, bytes: path })),
  });
  for (const [index, { id }] of transfer.files.slice(0, 3).entries())
    await db
      .updateTable('files')
      .set({ damagedAt: index < 2 ? 1 : 2 })
      .where('id', '=', id)
      .execute();
  assert.equal((await ada.call(getStorageTruth)).damagedFiles, 3);
  const listed: string[] = [];
  for (let path: string | undefined = `${listDamagedFiles.path}?limit=1`; path; ) {
    const response = await ada.fetch(path, { headers: { accept: 'application/json' } });
    const [file] = listDamagedFiles.response.parse(await response.json());
    listed.push(file!.relativePath);
    assert.deepEqual([file!.transferTitle, file!.owner], ['Pictures', 'frida']);
    path = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual([listed[0], listed.slice(1).sort()], ['c', ['a', 'b']]);
  await assert.rejects(ada.call(listDamagedFiles, { query: { cursor: 'x' } }), { status: 400 });
});

test('the sweep reports how many orphans it found and how much it freed', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const bytes = makeBytes(CHUNK_BYTES + 1);
  const { uploadId } = await announceFile(frida, 'lapsing', bytes);
  const body = new Uint8Array(bytes.subarray(0, CHUNK_BYTES));
  await sendChunk(frida, { uploadId, index: 0, body });
  await storeOrphan(server);
  await sweepUploads(server.context);
  const first = await (await server.signIn('ada')).call(getStorageTruth);
  assert.deepEqual([first.orphanedBlobs, first.lastSweep?.freedBlobs], [1, 0]);
  assert.deepEqual([first.youngOrphanedBlobs, first.youngOrphaned], [1, first.orphaned]);
  assert.equal(first.lastSweep!.at, toIso(server.clock.now()));
  server.clock.advance((await ageOfYoungest(server)) + DAY_MS);
  await passHour(server);
  const second = await (await server.signIn('ada')).call(getStorageTruth);
  assert.deepEqual([second.orphaned, second.orphanedBlobs], [0, 0]);
  const rows = await server.context.db
    .selectFrom('settings')
    .select('key')
    .where('key', '=', 'sweepNote')
    .execute();
  assert.equal(rows.length, 1);
});

test('the outbox is listed by state, search term and page, newest first, without the bodies', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const name of ['rex', 'eve', 'rob']) {
    await putMail(server, `${name}@example.net`);
    server.clock.advance(MINUTE_MS);
  }
  await server.context.db
    .updateTable('mails')
    .set({ state: 'failed', lastError: '550 No such user', attempts: 2 })
    .where('recipient', '=', 'eve@example.net')
    .execute();
  const names = async (query: Record<string, string>) =>
    (await ada.call(listMails, { query })).map(({ recipient }) => recipient.split('@')[0]);
  assert.deepEqual(await names({}), ['rob', 'eve', 'rex']);
  assert.deepEqual(await names({ search: 'R' }), ['rob', 'eve', 'rex']);
  assert.deepEqual(await names({ search: 'REX@' }), ['rex']);
  assert.deepEqual(await names({ state: 'queued' }), ['rob', 'rex']);
  const [failed] = await ada.call(listMails, { query: { state: 'failed' } });
  assert.deepEqual([failed!.attempts, failed!.reason, failed!.sentAt], [2, '550 No such user', null]);
  assert.ok(!JSON.stringify(await ada.call(listMails)).includes('SECRET'));
  const first = await ada.fetch(`${listMails.path}?limit=2`);
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
  const rest = (await (await ada.fetch(next)).json()) as { recipient: string }[];
  assert.deepEqual(
    rest.map(({ recipient }) => recipient),
    ['rex@example.net'],
  );
});

test('a failed mail is retried once, even if several requests ask for it', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const server = await startTestServer(t, { SMTP_URL: smtp.url });
  smtp.refuseRecipient = () => ({ code: 550, message: 'No such user here' });
  const id = await putMail(server, 'rex@example.net');
  await server.drainJobs();
  const ada = await server.signIn('ada');
  const [failed] = await ada.call(listMails);
  assert.equal(failed!.state, 'failed');
  assert.match(failed!.reason!, /No such user here/);
  smtp.refuseRecipient = () => undefined;
  const retry = () => ada.call(retryMail, { params: { id } });
  const outcomes = await Promise.allSettled([retry(), retry(), retry()]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  await server.drainJobs();
  assert.equal(smtp.mails.length, 1);
  assert.match(smtp.mails[0]!.text!, /SECRET/);
  assert.equal((await ada.call(listMails))[0]!.state, 'sent');
  assert.equal((await server.mails())[0]!.text, '');
  await assert.rejects(retry(), { status: 409, message: '409: This mail has not failed.' });
  await assert.rejects(ada.call(retryMail, { params: { id: UNKNOWN } }), { code: 'mail_not_found' });
  const acts = await ada.call(listAudit);
  assert.deepEqual(
    acts.map(({ action, subject }) => [action, subject]),
    [['mail.retry', 'transfer-ready to rex@example.net']],
  );
});

test('administrators learn whether a mail server is configured, and other users do not', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const without = await startTestServer(t);
  const server = await startTestServer(t, { SMTP_URL: smtp.url });
  const seenBy = async (where: TestServer, name: CastName) =>
    (await (await where.signIn(name)).call(getCurrentUser)).hasMailServer;
  assert.deepEqual([await seenBy(without, 'ada'), await seenBy(server, 'ada')], [false, true]);
  assert.equal(await seenBy(without, 'frida'), undefined);
});

test('codes in mail subjects are hidden from administrators', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const body = { name: 'Rex', username: 'rex', email: 'rex@example.net', password: 'correct horse' };
  await server.anonymous().call(register, { body });
  const [mail] = (await server.mails()).filter(({ recipient }) => recipient === 'rex@example.net');
  assert.match(mail!.subject, /^\d{6} is your Sendwell code$/);
  const [shown] = await ada.call(listMails, { query: { search: 'rex@example.net' } });
  assert.equal(shown!.subject, '•••••• is your Sendwell code');
});

test('a mail whose text was deleted cannot be retried, and code mails store no text', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const server = await startTestServer(t, { SMTP_URL: smtp.url });
  smtp.refuseRecipient = () => ({ code: 550, message: 'No' });
  const code = await putMail(server, 'rex@example.net', { sendBefore: server.clock.now() + DAY_MS });
  const share = await putMail(server, 'eve@example.net');
  await server.drainJobs();
  const texts = async () => Object.fromEntries((await server.mails()).map((mail) => [mail.id, mail.text]));
  assert.deepEqual([(await texts())[code], (await texts())[share]], ['', 'SECRET link']);
  const ada = await server.signIn('ada');
  await assert.rejects(ada.call(retryMail, { params: { id: code } }), { status: 409, code: 'conflict' });
  for (let day = 0; day < 16; day += 1) {
    server.clock.advance(DAY_MS);
    await server.drainJobs();
  }
  assert.equal((await texts())[share], '');
});

test('jobs are listed with failures first, and a job that was given up can run again', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const { id: transferId } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [],
  });
  await db.updateTable('transfers').set({ status: 'deleting' }).execute();
  await transaction(db, async (trx) => {
    await enqueue(trx, removeTransferDataJob, { transferId }, { runAt: server.clock.now() + HOUR_MS });
    await enqueue(trx, removeTransferDataJob, { transferId }, { uniqueKey: 'given up' });
  });
  const givenUp = db.updateTable('jobs').where('uniqueKey', 'like', '%given up');
  await givenUp.set({ failedAt: server.clock.now(), lastError: 'the disk is gone', attempts: 9 }).execute();
  const ada = await server.signIn('ada');
  const [failed, waiting] = await ada.call(listJobs);
  assert.deepEqual([failed!.state, failed!.reason, failed!.attempts], ['failed', 'the disk is gone', 9]);
  assert.deepEqual([waiting!.state, waiting!.reason], ['waiting', null]);
  await assert.rejects(ada.call(retryJob, { params: { id: waiting!.id } }), { status: 409 });
  await assert.rejects(ada.call(retryJob, { params: { id: UNKNOWN } }), { code: 'job_not_found' });
  const retry = () => ada.call(retryJob, { params: { id: failed!.id } });
  const outcomes = await Promise.allSettled([retry(), retry()]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const acts = await ada.call(listAudit);
  assert.deepEqual(
    acts.map(({ action, subject }) => [action, subject]),
    [['job.retry', 'remove-transfer-data']],
  );
  await server.drainJobs();
  assert.deepEqual(await db.selectFrom('transfers').select('id').execute(), []);
  assert.ok((await ada.call(listJobs)).every(({ state }) => state !== 'failed'));
});

function putMail({ context, clock }: TestServer, recipient: string, more: { sendBefore?: number } = {}) {
  const body = { text: 'SECRET link', html: '<p>SECRET link</p>' };
  return transaction(context.db, (trx) =>
    enqueueMail(trx, {
      kind: 'transfer-ready',
      recipient,
      subject: 'Frida sent you files',
      ...body,
      ...more,
      createdAt: clock.now(),
    }),
  );
}

async function storeOrphan({ context }: TestServer): Promise<void> {
  const place = {
    storageKey: randomId(),
    offset: 0,
    sizeBytes: 2 * MIB,
    firstSlot: 0,
    chunkSize: MIB,
    chunkCount: 2,
  };
  await context.blobs.prepare(place);
}

/** Milliseconds by which the youngest blob is newer than the test's clock: the file system dates blobs. */
async function ageOfYoungest({ context, clock }: TestServer): Promise<number> {
  let latest = clock.now();
  for await (const { modifiedAt } of context.blobs.list()) latest = Math.max(latest, modifiedAt);
  return latest - clock.now();
}

async function passHour(server: TestServer): Promise<void> {
  server.clock.advance(HOUR_MS);
  await sweepUploads(server.context);
}

test('the number of mails and the opt-out of an address are found, also for an unknown address', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const ada = await server.signIn('ada');
  const find = (email: string) => ada.call(findRecipient, { query: { email } });
  assert.deepEqual(await find('nobody@example.com'), { mails: 0, unsubscribedAt: null });
  const runAt = context.clock.now() + DAY_MS;
  const id = await transaction(context.db, (trx) =>
    enqueueMail(trx, {
      kind: 'transfer-ready',
      recipient: 'rita@example.com',
      subject: 'Hello',
      text: 'Hello',
      html: 'Hello',
      createdAt: context.clock.now(),
    }),
  );
  await context.db
    .updateTable('jobs')
    .set({ runAt })
    .where('payload', '=', JSON.stringify({ mailId: id }))
    .execute();
  const [mail] = await ada.call(listMails, { query: { search: 'rita@example.com' } });
  assert.equal(mail!.nextTryAt, toIso(runAt));
  await addOptOut(context.db, 'Rita@example.com', context.clock.now());
  assert.deepEqual(await find(' rita@example.com '), {
    mails: 1,
    unsubscribedAt: toIso(context.clock.now()),
  });
});
