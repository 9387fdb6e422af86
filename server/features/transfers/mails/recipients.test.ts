import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import {
  deleteTransfer,
  getTransfer,
  resendTransfer,
  type TransferDetail,
  updateTransfer,
} from '../../../../contracts/transfers/transfers.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startSmtpServer } from '../../../../testing/network/smtp-server.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { toIso } from '../../../platform/lib/clock.ts';

const [REX, VERA, ADA] = ['rex@example.org', 'vera@example.org', 'ada@example.org'];

async function startWithTransfer(t: TestContext, recipientEmails: string[] = [REX, VERA]) {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const settings = { recipientEmails };
  const { transfer, token } = await uploadFile(frida, 'a.txt', makeBytes(10), settings);
  const params = { id: transfer.id };
  return {
    server,
    frida,
    params,
    token,
    detail: () => frida.call(getTransfer, { params }),
    edit: (emails: string[] | string, more: object = {}) =>
      frida.call(updateTransfer, { params, body: { recipientEmails: emails, ...more } }),
    rows: () =>
      server.context.db
        .selectFrom('transferRecipients')
        .selectAll()
        .where('transferId', '=', transfer.id)
        .orderBy('emailKey')
        .execute(),
    queued: async () =>
      (await server.mails())
        .filter(({ state }) => state === 'queued')
        .map(({ recipient, kind }) => `${recipient} ${kind}`)
        .sort(),
  };
}

const statesOf = ({ recipients }: TransferDetail) =>
  recipients.map(({ email, mail }) => [email, mail?.state ?? null]);

test('each recipient of a ready transfer has a row and a personal link', async (t) => {
  const { server, detail, rows, token } = await startWithTransfer(t, [VERA, REX]);
  const recipients = await rows();
  const { publicUrl } = server.context.config;
  for (const { email, token: own } of recipients) {
    const mail = (await server.mails()).find(({ recipient }) => recipient === email);
    assert.ok(mail!.text.includes(shareLink(publicUrl, token, own)), email);
  }
  assert.equal(new Set(recipients.map(({ token: own }) => own)).size, 2);
  const shown = await detail();
  assert.deepEqual(shown.recipientEmails, [VERA, REX]);
  assert.deepEqual(statesOf(shown), [
    [VERA, 'queued'],
    [REX, 'queued'],
  ]);
  const raw = JSON.stringify(shown);
  for (const { token: own } of recipients) assert.ok(!raw.includes(own));
});

test('the owner sees the state of the latest mail to each recipient, and why it failed', async (t) => {
  const smtp = await startSmtpServer();
  t.after(() => smtp.stop());
  smtp.refuseRecipient = (address) =>
    address === VERA ? { code: 550, message: 'no such mailbox' } : undefined;
  const server = await startTestServer(t, { SMTP_URL: smtp.url });
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'a.txt', makeBytes(10), { recipientEmails: [REX, VERA] });
  const params = { id: transfer.id };
  const detail = () => frida.call(getTransfer, { params });
  const requestedAt = toIso(server.clock.now());
  server.clock.advance(MINUTE_MS);
  await server.drainJobs();
  const [rex, vera] = (await detail()).recipients;
  assert.deepEqual(rex!.mail, { state: 'sent', reason: null, at: toIso(server.clock.now()) });
  assert.deepEqual([vera!.mail!.state, vera!.mail!.at], ['failed', requestedAt]);
  assert.match(vera!.mail!.reason!, /no such mailbox/);

  server.clock.advance(MINUTE_MS);
  await frida.call(resendTransfer, { params, body: { recipientEmails: ['VERA@example.org'] } });
  assert.deepEqual(statesOf(await detail()), [
    [REX, 'sent'],
    [VERA, 'queued'],
  ]);
});

test('a rejected mail is shown as failed, a withdrawn one is not shown', async (t) => {
  const { server, detail } = await startWithTransfer(t);
  const drop = (recipient: string, lastError: string | null) =>
    server.context.db
      .updateTable('mails')
      .set({ state: 'dropped', lastError })
      .where('recipient', '=', recipient)
      .execute();
  await drop(REX, 'This address takes no more mails.');
  await drop(VERA, null);
  const [rex, vera] = (await detail()).recipients;
  assert.deepEqual([rex!.mail!.state, rex!.mail!.reason], ['failed', 'This address takes no more mails.']);
  assert.equal(vera!.mail, null);
});

test('the owner sees when a recipient opened and downloaded, and mails about other things do not count', async (t) => {
  const { server, detail, params } = await startWithTransfer(t, [REX]);
  const { db } = server.context;
  const [openedAt, downloadedAt] = [server.clock.now() + 1, server.clock.now() + 2];
  await db.updateTable('transferRecipients').set({ openedAt, downloadedAt }).execute();
  const notice = {
    kind: 'download-notice',
    transferId: params.id,
    recipient: REX,
    subject: '',
    text: '',
    html: '',
  };
  await db
    .insertInto('mails')
    .values({ ...notice, id: 'notice', state: 'sent', createdAt: server.clock.now() + 5 })
    .execute();
  const [rex] = (await detail()).recipients;
  assert.deepEqual([rex!.openedAt, rex!.downloadedAt], [toIso(openedAt), toIso(downloadedAt)]);
  assert.equal(rex!.mail!.state, 'queued');
});

test('new recipients are mailed, kept ones are not, and removed ones lose their mail and row', async (t) => {
  const { edit, rows, queued } = await startWithTransfer(t);
  const [rexBefore] = await rows();
  const answer = await edit([ADA, 'REX@example.org']);
  assert.deepEqual(answer.recipientEmails, [ADA, REX]);
  assert.deepEqual(statesOf(answer), [
    [ADA, 'queued'],
    [REX, 'queued'],
  ]);
  const [ada, rex, ...others] = await rows();
  assert.deepEqual([ada!.email, others], [ADA, []]);
  assert.deepEqual(rex, rexBefore);
  assert.deepEqual(await queued(), [`${ADA} transfer-ready`, `${REX} transfer-ready`]);
  assert.deepEqual((await edit('')).recipients, []);
  assert.deepEqual(await queued(), []);
  await edit([VERA]);
  assert.deepEqual(await queued(), [`${VERA} transfer-ready`]);
});

test('the link of an expired transfer is not mailed unless the same edit reopens it', async (t) => {
  const { server, edit, queued } = await startWithTransfer(t, []);
  server.clock.advance(4 * DAY_MS);
  assert.deepEqual(statesOf(await edit([REX])), [[REX, null]]);
  assert.deepEqual(await queued(), []);
  await edit([REX, VERA], { expirationDays: 1 });
  assert.deepEqual(await queued(), [`${VERA} transfer-ready`]);
  await server.context.db.updateTable('transfers').set({ maxDownloads: 1, downloadCount: 1 }).execute();
  await edit([REX, VERA, ADA]);
  assert.deepEqual(await queued(), [`${VERA} transfer-ready`]);
});

test('new addresses of a resend become recipients, fifty at most', async (t) => {
  const { frida, params, detail, rows } = await startWithTransfer(t, [REX]);
  const resend = (recipientEmails: string[]) =>
    frida.call(resendTransfer, { params, body: { recipientEmails } });
  const many = Array.from({ length: 49 }, (_, index) => `guest${index}@example.org`);
  await resend(many);
  assert.deepEqual((await detail()).recipientEmails, [REX, ...many]);
  await assert.rejects(resend([VERA]), {
    status: 400,
    message: '400: A transfer has at most 50 recipients; this one has 50.',
  });
  assert.equal((await resend([REX, 'GUEST0@example.org'])).sent, 2);
  assert.equal((await rows()).length, 50);
});

test('the recipient list and its rows agree after concurrent additions and removals', async (t) => {
  const { server, frida, params, edit, detail, rows } = await startWithTransfer(t, [REX]);
  for (let round = 0; round < 4; round += 1) {
    server.clock.advance(5 * MINUTE_MS);
    const resend = (name: string) =>
      frida.call(resendTransfer, {
        params,
        body: { recipientEmails: [`${name}${round}@example.org`, VERA] },
      });
    await Promise.all([resend('a'), edit([REX, `b${round}@example.org`]), resend('c')]);
    const { recipientEmails, recipients } = await detail();
    const stored = (await rows()).map(({ email }) => email);
    assert.deepEqual(recipientEmails.toSorted(), stored.toSorted());
    assert.deepEqual(
      recipients.map(({ email }) => email),
      recipientEmails,
    );
  }
});

test('a transfer deleted during an edit mails nobody', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  for (let round = 0; round < 6; round += 1) {
    const userId = server.userId('frida');
    const { id } = await createReadyTransfer(server.context, { userId, files: [] });
    const params = { id };
    const body = { title: 'New', recipientEmails: [REX] };
    const [edited, deleted] = await Promise.allSettled([
      frida.call(updateTransfer, { params, body }),
      frida.call(deleteTransfer, { params }),
    ]);
    assert.equal(deleted.status, 'fulfilled');
    if (edited.status === 'rejected') assert.equal((edited.reason as { status: number }).status, 404);
    const left = (await server.mails()).filter(({ state }) => state === 'queued');
    assert.deepEqual(left, []);
  }
});
