import assert from 'node:assert/strict';
import test from 'node:test';
import { DAMAGED_FILES_NAMED, type WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import { transferPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { sendSealedTransfer } from '../../../testing/uploads/sealed-transfers.ts';
import { subscribe } from '../../../testing/webhooks/webhooks.ts';
import { sendDamageNotices } from './damage-notices.ts';

const run = new AbortController();
const FILES = ['a.txt', 'b/c.txt', 'd.txt'].map((path) => ({ path, bytes: path }));

const notify = ({ context }: TestServer) => sendDamageNotices(context, run);

async function damage({ context, clock }: TestServer, ...names: string[]): Promise<void> {
  await context.db
    .updateTable('files')
    .set({ damagedAt: clock.now() })
    .where('originalName', 'in', names)
    .execute();
}

async function mailsOf(server: TestServer) {
  return (await server.mails()).filter(({ kind }) => kind === 'damage-notice');
}

async function findEvent({ context }: TestServer) {
  const { body } = await context.db.selectFrom('webhookDeliveries').select('body').executeTakeFirstOrThrow();
  return JSON.parse(body) as Extract<WebhookPayload, { type: 'transfer.damaged' }>;
}

test('the owner gets one mail about all files found damaged together, at most one per day', async (t) => {
  const server = await startTestServer(t);
  const [userId, expiresAt] = [server.userId('paula'), server.clock.now() + 90 * DAY_MS];
  const transfer = await createReadyTransfer(server.context, {
    userId,
    expiresAt,
    title: 'Pictures',
    files: FILES,
  });
  await damage(server, 'a.txt');
  await notify(server);
  assert.equal((await mailsOf(server)).length, 0, 'the mail waits for further files');
  server.clock.advance(14 * MINUTE_MS);
  await damage(server, 'c.txt');
  server.clock.advance(MINUTE_MS);
  await notify(server);
  await notify(server);
  const [mail, ...others] = await mailsOf(server);
  assert.deepEqual(
    [mail!.recipient, mail!.subject, others.length],
    ['paula@example.org', '2 files damaged in “Pictures”', 0],
  );
  for (const words of ['a.txt', 'b/c.txt', 'Send again', transferPath(transfer.id)])
    assert.ok(mail!.text.includes(words), words);
  assert.ok(!mail!.text.includes('d.txt'));

  await damage(server, 'd.txt');
  server.clock.advance(20 * MINUTE_MS);
  await notify(server);
  assert.equal((await mailsOf(server)).length, 1);
  server.clock.advance(DAY_MS);
  await notify(server);
  const last = (await mailsOf(server)).at(-1)!;
  assert.equal(last.subject, 'A damaged file in “Pictures”');
});

test('the mail about an encrypted file names none and asks to add it again', async (t) => {
  const server = await startTestServer(t);
  const { id, files } = await sendSealedTransfer(await server.signIn('paula'));
  await damage(server, files[0]!.fileName);
  server.clock.advance(15 * MINUTE_MS);
  await notify(server);
  const [mail] = await mailsOf(server);
  assert.equal(mail!.subject, 'A damaged file in “Encrypted transfer”');
  for (const words of ['add the original again', transferPath(id)])
    assert.ok(mail!.text.includes(words), words);
  assert.doesNotMatch(mail!.text, /Send again|until it is repaired/);
  assert.ok(!mail!.text.includes(files[0]!.fileName));
});

test('a clock that was set back does not delay the next mail', async (t) => {
  const server = await startTestServer(t);
  const [userId, expiresAt] = [server.userId('paula'), server.clock.now() + 90 * DAY_MS];
  await createReadyTransfer(server.context, { userId, expiresAt, files: FILES });
  server.clock.advance(30 * DAY_MS);
  await damage(server, 'a.txt');
  server.clock.advance(15 * MINUTE_MS);
  await notify(server);
  server.clock.advance(-10 * DAY_MS);
  await damage(server, 'c.txt');
  server.clock.advance(15 * MINUTE_MS);
  await notify(server);
  assert.equal((await mailsOf(server)).length, 2);
});

test('webhooks receive the list of damaged files', async (t) => {
  const server = await startTestServer(t, { WEBHOOK_ALLOW_PRIVATE: 'on' });
  await subscribe(await server.signIn('prem'), 'http://127.0.0.1:9/hook', ['transfer.damaged']);
  await createReadyTransfer(server.context, { userId: server.userId('prem'), files: FILES });
  await damage(server, 'a.txt');
  server.clock.advance(15 * MINUTE_MS);
  await notify(server);
  const { type, data } = await findEvent(server);
  assert.deepEqual([type, data.fileCount], ['transfer.damaged', 1]);
  assert.deepEqual(
    data.files.map(({ relativePath }) => relativePath),
    ['a.txt'],
  );
});

test('an event lists the first 1,000 damaged files and counts all', async (t) => {
  const server = await startTestServer(t, { WEBHOOK_ALLOW_PRIVATE: 'on' });
  await subscribe(await server.signIn('prem'), 'http://127.0.0.1:9/hook', ['transfer.damaged']);
  const files = Array.from({ length: DAMAGED_FILES_NAMED + 1 }, (_, index) => ({
    path: `${index}`,
    bytes: '1',
  }));
  await createReadyTransfer(server.context, { userId: server.userId('prem'), files });
  await damage(server, ...files.map(({ path }) => path));
  server.clock.advance(15 * MINUTE_MS);
  await notify(server);
  const { data } = await findEvent(server);
  assert.deepEqual([data.files.length, data.fileCount], [DAMAGED_FILES_NAMED, DAMAGED_FILES_NAMED + 1]);
  const [mail] = await mailsOf(server);
  assert.equal(mail!.subject, '1,001 files damaged in “0 + 1,000”');
});
