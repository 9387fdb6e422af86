import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import {
  ARRIVAL_NOTICES_MAX,
  askForArrivalNotice,
  publishTransfer,
} from '../../../../contracts/transfers/arrival.ts';
import { verifyDownload, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { abortUpload, completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startSmtpServer } from '../../../../testing/network/smtp-server.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  type ArrivingTransfer,
  publishFiles,
  storeChunk,
} from '../../../../testing/uploads/arriving-transfers.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { addOptOut } from '../../../platform/mail/opt-outs.ts';
import { addArrivalNotice } from '../../transfers/index.ts';

const FILES = ['one.txt', 'two.txt'].map((name) => ({ name, bytes: makeBytes(300, name) }));

/** Nothing listens there, so mails stay in the outbox. */
const WITH_MAIL = { SMTP_URL: 'smtp://127.0.0.1:9' };

async function setStage(t: TestContext, settings: object = {}, env: Record<string, string> = WITH_MAIL) {
  const server = await startTestServer(t, env);
  const frida = await server.signIn('frida');
  const arriving = await publishFiles(frida, FILES, { title: 'Rushes', message: 'Look', ...settings });
  return { server, frida, arriving };
}

const ask = (guest: Client, { token }: { token: string }, email = 'rex@example.org') =>
  guest.call(askForArrivalNotice, { params: { token }, body: { email } });

const askAs = (server: TestServer, { token }: { token: string }, email: string, headers: object = {}) =>
  server.anonymous().fetch(`/api/download/${token}/arrival-notices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email }),
  });

async function complete(client: Client, { id, files }: ArrivingTransfer): Promise<void> {
  for (const file of files) await storeChunk(client, file, 0);
  const uploadIds = files.map(({ uploadId }) => uploadId);
  await client.call(completeUploads, { body: { transferId: id, uploadIds } });
}

const listSent = async (server: TestServer) =>
  (await server.mails()).map(({ kind, recipient }) => `${kind} ${recipient}`).toSorted();

const countStored = async ({ context: { db } }: TestServer) =>
  (await db.selectFrom('arrivalNotices').select('emailKey').execute()).length;

const refusedAs = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code ? true : assert.fail(String(error));

test('who asks is mailed once everything has arrived, in the language of the page, and the address is deleted', async (t) => {
  const { server, frida, arriving } = await setStage(t);
  const view = await server.anonymous().call(viewDownload, { params: { token: arriving.token } });
  assert.equal(view.offersArrivalNotice, true);
  await ask(server.anonymous(), arriving);
  const german = { cookie: 'language=de', 'accept-language': 'fr' };
  assert.equal((await askAs(server, arriving, 'Gerda@example.org', german)).status, 204);
  assert.deepEqual(await server.mails(), []);
  await complete(frida, arriving);
  const mails = await server.mails();
  assert.deepEqual(await listSent(server), [
    'arrival-notice Gerda@example.org',
    'arrival-notice rex@example.org',
  ]);
  assert.equal(await countStored(server), 0);

  const mail = mails.find(({ recipient }) => recipient === 'rex@example.org')!;
  const sender = await server.context.db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', server.userId('frida'))
    .executeTakeFirstOrThrow();
  assert.equal(mail.subject, `All here: “Rushes” from ${sender.name}`);
  assert.ok(mail.text.includes(shareLink(server.context.config.publicUrl, arriving.token)));
  assert.match(mail.text, /^Available until:? /m);
  assert.equal(mail.replyTo, null);
  for (const hidden of [sender.email, 'rex@example.org', 'Look'])
    assert.ok(!mail.text.includes(hidden) && !mail.html.includes(hidden), hidden);
  const translated = mails.find(({ recipient }) => recipient === 'Gerda@example.org')!;
  assert.equal(translated.language, 'de');
  assert.match(translated.text, /fertig hochgeladen/);
  assert.equal(
    (await server.anonymous().call(viewDownload, { params: { token: arriving.token } })).arrival,
    undefined,
  );
});

test('repeated and parallel requests, in any spelling of case, lead to one mail and one answer', async (t) => {
  const { server, frida, arriving } = await setStage(t, {}, { ...WITH_MAIL, RATE_LIMIT: 'off' });
  const spellings = ['rex@example.org', 'REX@example.org', ' Rex@Example.org '];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => askAs(server, arriving, spellings[index % 3]!)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204]);
  await ask(server.anonymous(), arriving);
  assert.equal(await countStored(server), 1);
  await complete(frida, arriving);
  assert.equal((await server.mails()).length, 1);
});

test('a recipient of the transfer who asks gets only the usual mail', async (t) => {
  const { server, frida, arriving } = await setStage(t, { recipientEmails: 'rex@example.org' });
  await ask(server.anonymous(), arriving, 'Rex@Example.org');
  await ask(server.anonymous(), arriving, 'vera@example.org');
  await complete(frida, arriving);
  assert.deepEqual(await listSent(server), [
    'arrival-notice vera@example.org',
    'transfer-ready rex@example.org',
  ]);
  assert.equal(await countStored(server), 0);
});

test('requests at the moment of the last completion are mailed or refused, never forgotten', async (t) => {
  const { server, frida, arriving } = await setStage(t, {}, { ...WITH_MAIL, RATE_LIMIT: 'off' });
  for (const file of arriving.files) await storeChunk(frida, file, 0);
  const uploadIds = arriving.files.map(({ uploadId }) => uploadId);
  const askAll = (from: number) =>
    Array.from({ length: 10 }, (_, index) => askAs(server, arriving, `guest-${from + index}@example.org`));
  const before = askAll(0);
  const completed = frida.call(completeUploads, { body: { transferId: arriving.id, uploadIds } });
  const answers = await Promise.all([...before, ...askAll(10)]);
  await completed;
  const accepted = answers.flatMap(({ status }, index) =>
    status === 204 ? [`guest-${index}@example.org`] : [],
  );
  assert.ok(answers.every(({ status }) => status === 204 || status === 409));
  assert.deepEqual((await server.mails()).map(({ recipient }) => recipient).toSorted(), accepted.toSorted());
  assert.equal(await countStored(server), 0);
});

test('no mail is sent if the transfer is deleted, withdrawn or expired before it is complete', async (t) => {
  const { server, frida, arriving: deleted } = await setStage(t);
  const guest = server.anonymous();
  await ask(guest, deleted);
  await frida.call(deleteTransfer, { params: { id: deleted.id } });
  const withdrawn = await publishFiles(frida, FILES.slice(0, 1));
  await ask(guest, withdrawn);
  await frida.call(abortUpload, { params: { uploadId: withdrawn.files[0]!.uploadId } });
  const expiresAt = new Date(server.clock.now() + HOUR_MS).toISOString();
  const prem = await server.signIn('prem');
  const expired = await publishFiles(prem, FILES, { expiresAt });
  await ask(guest, expired);
  server.clock.advance(2 * HOUR_MS);
  await complete(prem, expired);
  await server.drainJobs();
  assert.deepEqual(await server.mails(), []);
  assert.equal(await countStored(server), 0);
});

test('a request survives a stopped upload, until the sender goes on', async (t) => {
  const { server, frida, arriving } = await setStage(t);
  await ask(server.anonymous(), arriving);
  for (let hours = 0; hours < 60; hours += 12) {
    server.clock.advance(12 * HOUR_MS);
    await server.drainJobs();
  }
  await assert.rejects(ask(server.anonymous(), arriving), refusedAs('upload_stopped'));
  assert.equal(await countStored(server), 1);
  await frida.call(publishTransfer, { params: { id: arriving.id }, body: { expectedFiles: FILES.length } });
  await complete(frida, arriving);
  assert.deepEqual(await listSent(server), ['arrival-notice rex@example.org']);
});

test('repeated requests use up no places of other people', async (t) => {
  const { server, arriving } = await setStage(t, {}, { ...WITH_MAIL, RATE_LIMIT: 'off' });
  for (let count = 0; count < ARRIVAL_NOTICES_MAX + 1; count += 1) await ask(server.anonymous(), arriving);
  await ask(server.anonymous(), arriving, 'vera@example.org');
  assert.equal(await countStored(server), 2);
});

test('a request that passed the gate before the last completion is refused, because no mail would follow', async (t) => {
  const { server, frida, arriving } = await setStage(t);
  await complete(frida, arriving);
  const notice = { transferId: arriving.id, email: 'rex@example.org', language: null };
  await assert.rejects(addArrivalNotice(server.context, notice), (error) =>
    isAppError(error, 'already_arrived'),
  );
  assert.equal(await countStored(server), 0);
});

test('a transfer remembers at most 50 addresses, and when it is full known ones are refused, too', async (t) => {
  const { server, frida, arriving } = await setStage(t, {}, { ...WITH_MAIL, RATE_LIMIT: 'off' });
  const answers = await Promise.all(
    Array.from({ length: ARRIVAL_NOTICES_MAX + 10 }, (_, index) =>
      askAs(server, arriving, `guest-${index}@example.org`),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 204).length, ARRIVAL_NOTICES_MAX);
  assert.equal(await countStored(server), ARRIVAL_NOTICES_MAX);
  const known = await server.context.db
    .selectFrom('arrivalNotices')
    .select('email')
    .executeTakeFirstOrThrow();
  for (const email of [known.email, 'new@example.org'])
    await assert.rejects(ask(server.anonymous(), arriving, email), refusedAs('arrival_notices_full'));
  await complete(frida, arriving);
  assert.equal((await server.mails()).length, ARRIVAL_NOTICES_MAX);
});

test('requests are limited per network address, mailbox and sender', async (t) => {
  const { server, arriving } = await setStage(t, {}, { ...WITH_MAIL, TRUST_PROXY: '1' });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  for (let index = 0; index < 20; index += 1)
    assert.equal(
      (await askAs(server, arriving, `guest-${index}@example.org`, from('203.0.113.1'))).status,
      204,
    );
  assert.equal((await askAs(server, arriving, 'one@example.org', from('203.0.113.1'))).status, 429);
  for (let index = 0; index < 20; index += 1) {
    const email = `rex+${index}@example.org`;
    assert.equal((await askAs(server, arriving, email, from(`203.0.113.${10 + index}`))).status, 204);
  }
  assert.equal((await askAs(server, arriving, 'rex@example.org', from('203.0.113.99'))).status, 429);
  const { db, clock } = server.context;
  const keys = await db.selectFrom('rateCounters').select('key').where('key', 'like', '%rex%').execute();
  assert.deepEqual(keys, [], 'the counters name no mailbox');

  const counter = { key: `arrival-notice:sender:${server.userId('frida')}`, count: 200 };
  await db.deleteFrom('rateCounters').execute();
  await db
    .insertInto('rateCounters')
    .values({ ...counter, windowEndsAt: clock.now() + HOUR_MS })
    .execute();
  assert.equal((await askAs(server, arriving, 'last@example.org')).status, 429);
});

test('a locked transfer must be unlocked first, and one that is not open refuses', async (t) => {
  const { server, frida, arriving: locked } = await setStage(t, {}, WITH_MAIL);
  const paula = await server.signIn('paula');
  const secret = await publishFiles(paula, FILES, { password: 'open sesame' });
  const guest = server.anonymous();
  await assert.rejects(ask(guest, secret), refusedAs('password_required'));
  await guest.call(verifyDownload, { params: { token: secret.token }, body: { password: 'open sesame' } });
  await ask(guest, secret);
  assert.equal(await countStored(server), 1);

  const scheduledAvailableAt = new Date(server.clock.now() + HOUR_MS).toISOString();
  const scheduled = await publishFiles(paula, FILES, { scheduledAvailableAt });
  await assert.rejects(ask(guest, scheduled), refusedAs('not_yet_available'));
  const change = (id: string, columns: object) =>
    server.context.db.updateTable('transfers').set(columns).where('id', '=', id).execute();
  const closed = await publishFiles(paula, FILES);
  await change(closed.id, { takenDownAt: server.clock.now() });
  await assert.rejects(ask(guest, closed), refusedAs('transfer_taken_down'));
  await change(closed.id, { takenDownAt: null, maxDownloads: 1, downloadCount: 1 });
  await assert.rejects(ask(guest, closed), refusedAs('transfer_used_up'));
  await assert.rejects(ask(guest, { token: '0'.repeat(26) }), refusedAs('transfer_not_found'));
  for (const email of ['', 'rex', 'rex@example.org, eve@example.org', 'Rex <rex@example.org>'])
    await assert.rejects(ask(guest, locked, email), refusedAs('invalid_input'));
  await complete(frida, locked);
  await assert.rejects(ask(guest, locked), refusedAs('already_arrived'));
  assert.equal(await countStored(server), 1);
});

test('a server without a mail server neither offers nor accepts it', async (t) => {
  const { server, arriving } = await setStage(t, {}, {});
  const view = await server.anonymous().call(viewDownload, { params: { token: arriving.token } });
  assert.equal(view.offersArrivalNotice, false);
  await assert.rejects(ask(server.anonymous(), arriving), refusedAs('no_mail_server'));
});

test('an address that unsubscribed from emails about transfers gets none, and the answer does not say so', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  const { server, frida, arriving } = await setStage(t, {}, { SMTP_URL: smtp.url });
  await addOptOut(server.context.db, 'rex@example.org', server.clock.now());
  await ask(server.anonymous(), arriving);
  await ask(server.anonymous(), arriving, 'vera@example.org');
  await complete(frida, arriving);
  await server.drainJobs();
  assert.deepEqual(
    smtp.mails.map(({ envelope }) => envelope.to),
    [['vera@example.org']],
  );
});

test('links in the names of a free sender are removed', async (t) => {
  const { server, frida, arriving } = await setStage(t, { title: 'Win at https://evil.example/login' });
  await ask(server.anonymous(), arriving);
  await complete(frida, arriving);
  const [mail] = await server.mails();
  assert.match(mail!.subject, /Win at \[link removed\]/);
  assert.ok(!mail!.text.includes('evil.example') && !mail!.html.includes('evil.example'));
});
