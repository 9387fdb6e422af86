import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { resendTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { CastName } from '../../../../testing/cast.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { live } from '../../../../testing/live.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import type { MailRow, UserRow } from '../../../platform/db/schema.ts';

const NAME = 'Eve at evil-name.com';
const TITLE = 'Win at evil-title.com';
const MESSAGE = 'Sign in at https://evil-message.com/login or write to eve@evil-mail.com.\nThanks, Eve';
const SETTINGS = { title: TITLE, message: MESSAGE, recipientEmails: ['rex@example.org'] };

async function startAs(t: TestContext, sender: CastName, changes: Partial<UserRow> = {}) {
  const server = await startTestServer(t);
  const { db } = server.context;
  await db
    .updateTable('users')
    .set({ name: NAME, ...changes })
    .where('id', '=', server.userId(sender))
    .execute();
  return { server, client: await server.signIn(sender) };
}

/** Hosts that a mail client would turn into links, except for the sender's address and this server's own. */
function listForeignHosts({ subject, text, html }: MailRow, own: string[]): string[] {
  const words = own.reduce((all, each) => all.replaceAll(each, ''), `${subject}\n${text}\n${html}`);
  return words.match(/[a-z-]+\.(?:com|example|zip)\b/g) ?? [];
}

test('mails of a free account contain no links that the sender wrote, and the page shows all of it', async (t) => {
  const { server, client } = await startAs(t, 'frida');
  const { transfer, token } = await uploadFile(client, 'evil-file.com', makeBytes(10), SETTINGS);
  await client.call(resendTransfer, {
    params: { id: transfer.id },
    body: { recipientEmails: ['rex@example.org'] },
  });
  const mails = await server.mails();
  assert.deepEqual(mails.map(({ kind }) => kind).sort(), ['transfer-ready', 'transfer-resend']);
  const own = ['frida@example.org', server.context.config.publicUrl];
  for (const mail of mails) {
    assert.deepEqual(listForeignHosts(mail, own), [], mail.kind);
    assert.doesNotMatch(mail.html, /href="(?!http:\/\/localhost)/);
    for (const body of [mail.text, mail.html]) {
      assert.match(body, /Sign in at \[link removed\] or write to eve@evil-mail \.com\./);
      assert.match(body, /evil-file \.com/);
      assert.match(body, /Links in this message were removed/);
    }
  }
  assert.match(mails[0]!.subject, /Eve at evil-name \.com sent you “Win at evil-title \.com”/);

  const page = await server.anonymous().call(viewDownload, { params: { token } });
  assert.deepEqual([page.title, page.message], [TITLE, MESSAGE]);
});

test('a message without links is quoted unchanged, without a note', async (t) => {
  const { server, client } = await startAs(t, 'frida', { name: 'Frida' });
  const message = 'Hi Rex,\nthe plan.pdf is final. See you at 9.30.';
  await uploadFile(client, 'photos.zip', makeBytes(10), { message, recipientEmails: ['rex@example.org'] });
  const [mail] = await server.mails();
  assert.match(mail!.text, /> Hi Rex,\n> the plan\.pdf is final\. See you at 9\.30\./);
  assert.match(mail!.text, /- photos\.zip /);
  assert.doesNotMatch(mail!.text, /removed/);
});

for (const [who, sender, changes] of [
  ['a paying sender', 'paula', {}],
  ['an administrator', 'ada', { tier: 'free' }],
] as const) {
  test(`mails of ${who} show what they wrote`, async (t) => {
    const { server, client } = await startAs(t, sender, changes);
    await uploadFile(client, 'evil-file.com', makeBytes(10), SETTINGS);
    const [mail] = await server.mails();
    assert.equal(mail!.subject, `${NAME} sent you “${TITLE}”`);
    assert.ok(mail!.text.includes(MESSAGE.split('\n')[0]!));
    assert.doesNotMatch(mail!.text, /removed/);
  });
}

test('reminders to a free sender’s recipients contain none of the sender’s links either', async (t) => {
  const { server } = await startAs(t, 'frida');
  await live(server, HOUR_MS);
  await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    title: TITLE,
    recipientEmails: ['rex@example.org'],
    expiresAt: server.clock.now() + 2 * DAY_MS + HOUR_MS,
  });
  await live(server, 2 * HOUR_MS);
  const [mail] = (await server.mails()).filter(({ kind }) => kind === 'recipient-reminder');
  assert.deepEqual(listForeignHosts(mail!, ['frida@example.org', server.context.config.publicUrl]), []);
  assert.equal(mail!.subject, 'Still waiting for you: “Win at evil-title .com” from Eve at evil-name .com');
});
