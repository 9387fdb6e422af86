import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { deleteTransfer, resendTransfer } from '../../../../contracts/transfers/transfers.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

const FILES = [{ path: 'a.txt', bytes: 'hello world' }];

const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `rex${index}@example.org`);
}

test('each address gets one mail with the link, and replies go to the sender', async (t) => {
  const server = await startTestServer(t);
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
  });
  const frida = await server.signIn('frida');
  const { sent } = await frida.call(resendTransfer, {
    params: { id },
    body: { recipientEmails: 'rex@example.org, vera@example.org,REX@example.org' },
  });
  assert.equal(sent, 2);
  const mails = await server.mails();
  assert.deepEqual(mails.map(({ recipient }) => recipient).sort(), ['rex@example.org', 'vera@example.org']);
  for (const mail of mails) {
    assert.equal(mail.replyTo, 'frida@example.org');
    assert.ok(mail.text.includes(shareLink(server.context.config.publicUrl, token)));
  }
});

test('only a repeated mail about the same transfer has "Again" in its subject', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('frida');
  const { id } = await createReadyTransfer(server.context, { userId, files: FILES });
  const frida = await server.signIn('frida');
  const send = async (recipientEmails: string[]) => {
    const before = (await server.mails()).map((mail) => mail.id);
    await frida.call(resendTransfer, { params: { id }, body: { recipientEmails } });
    const added = (await server.mails()).filter((mail) => !before.includes(mail.id));
    return added.map((mail) => `${mail.recipient} ${mail.kind} ${mail.subject}`).sort();
  };
  const first = (email: string) => `${email} transfer-ready Frida Free sent you “a.txt”`;
  const again = (email: string) => `${email} transfer-resend Again: Frida Free sent you “a.txt”`;

  assert.deepEqual(await send(['rex@example.org']), [first('rex@example.org')]);
  assert.deepEqual(await send(['REX@example.org', 'vera@example.org']), [
    again('rex@example.org'),
    first('vera@example.org'),
  ]);
  await server.context.db
    .updateTable('mails')
    .set({ state: 'failed' })
    .where('recipient', '=', 'vera@example.org')
    .execute();
  const [mail] = await send(['vera@example.org']);
  assert.equal(mail, first('vera@example.org'), 'the failed mail did not reach her');
});

test('missing and invalid addresses and expired transfers are refused, and nobody is mailed', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
    expiresAt: server.clock.now() + HOUR_MS,
  });
  const frida = await server.signIn('frida');
  const resend = (recipientEmails: unknown) =>
    frida.call(resendTransfer, { params: { id }, body: { recipientEmails } });
  for (const wrong of [[], '', ['rex'], ['rex@example.org\r\nbcc: x@y.zz'], addresses(51), undefined, 7])
    await assert.rejects(resend(wrong), refusedAs('invalid_input'));
  server.clock.advance(HOUR_MS);
  await assert.rejects(resend(['rex@example.org']), refusedAs('transfer_expired'));
  assert.deepEqual(await server.mails(), []);
});

test('a transfer’s mails are rate-limited, even with concurrent calls', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES });
  const frida = await server.signIn('frida');
  const resend = () =>
    frida.call(resendTransfer, { params: { id }, body: { recipientEmails: ['rex@example.org'] } });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, resend));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
  await assert.rejects(resend(), refusedAs('too_many_requests'));
  assert.equal((await server.mails()).length, 3);
  server.clock.advance(3 * MINUTE_MS);
  assert.equal((await resend()).sent, 1);
});

test('a sender mails at most two hundred times a day, over all transfers', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('frida');
  const frida = await server.signIn('frida');
  const resend = async (count: number) => {
    const { id } = await createReadyTransfer(server.context, { userId, files: FILES });
    return frida.call(resendTransfer, { params: { id }, body: { recipientEmails: addresses(count) } });
  };
  for (let index = 0; index < 3; index += 1) await resend(50);
  await resend(49);
  server.clock.advance(HOUR_MS);
  await assert.rejects(resend(2), (error) => {
    assert.ok(error instanceof ApiError && error.status === 429);
    assert.equal(error.retryAfterSeconds, (DAY_MS - HOUR_MS) / 1000);
    return true;
  });
  await resend(1);
  server.clock.advance(DAY_MS - HOUR_MS);
  await resend(50);
  const paula = await server.signIn('paula');
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('paula'), files: FILES });
  const body = { recipientEmails: addresses(50) };
  assert.equal((await paula.call(resendTransfer, { params: { id }, body })).sent, 50);
});

test('queued mails are not sent once the transfer is deleted', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES });
  const frida = await server.signIn('frida');
  await frida.call(resendTransfer, { params: { id }, body: { recipientEmails: ['rex@example.org'] } });
  await frida.call(deleteTransfer, { params: { id } });
  const [mail] = await server.mails();
  assert.equal(mail!.state, 'dropped');
});
