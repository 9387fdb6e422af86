import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { createLog } from '../lib/logging/log.ts';
import { type Mailer, maySendUnencrypted, openMailer, TlsMissingError } from './mailer.ts';

const MAIL = {
  id: 'mail-1',
  kind: 'transfer-ready',
  recipient: 'rex@example.net',
  replyTo: null,
  language: null,
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
  unsubscribeToken: null,
};

/** 0.0.0.0 reaches this machine but isn't loopback. `query` is appended to SMTP_URL. */
async function start(
  t: TestContext,
  { offersTls = false, requireTls = true, query = '', host = '0.0.0.0' } = {},
) {
  const smtp = await startSmtpServer({ offersTls });
  const lines: string[] = [];
  const mailer: Mailer = openMailer(
    {
      smtpUrl: smtp.url.replace('127.0.0.1', host) + query,
      smtpRequireTls: requireTls,
      mailFrom: 'Sendwell <no-reply@example.org>',
      publicUrl: 'https://files.example.org',
    },
    createLog('info', { write: (line) => lines.push(line) }),
  );
  t.after(async () => {
    mailer.close();
    await smtp.stop();
  });
  return { smtp, mailer, lines };
}

test('a mail server on another machine without encryption gets no mail, whatever its URL says', async (t) => {
  for (const query of ['', '?requireTLS=false&ignoreTLS=true&opportunisticTLS=true']) {
    const { smtp, mailer, lines } = await start(t, { query });
    for (const attempt of [() => mailer.send(MAIL), () => mailer.verify()])
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof TlsMissingError);
        assert.match(error.message, /^The mail server 0\.0\.0\.0:\d+ does not offer encryption \(STARTTLS\)/);
        assert.match(error.message, /SMTP_REQUIRE_TLS=off/);
        return true;
      });
    assert.deepEqual([smtp.mails, lines], [[], []]);
  }
});

test('a mail server that offers encryption gets mails encrypted, if its certificate is trusted', async (t) => {
  const trusting = await start(t, { offersTls: true, query: '?tls.rejectUnauthorized=false' });
  await trusting.mailer.verify();
  assert.equal(await trusting.mailer.send(MAIL), 'sent');
  assert.equal(trusting.smtp.mails[0]!.isEncrypted, true);

  const strict = await start(t, { offersTls: true });
  await assert.rejects(strict.mailer.send(MAIL), /self-signed|certificate/);
  assert.deepEqual(strict.smtp.mails, []);
});

test('SMTP_REQUIRE_TLS=off sends unencrypted and warns about it', async (t) => {
  const { smtp, mailer, lines } = await start(t, { requireTls: false });
  assert.equal(await mailer.send(MAIL), 'sent');
  assert.equal(smtp.mails[0]!.isEncrypted, false);
  assert.match(lines.join(''), /may travel unencrypted/);
});

test('loopback needs no encryption', async (t) => {
  const { smtp, mailer, lines } = await start(t, { host: 'localhost' });
  assert.equal(await mailer.send(MAIL), 'sent');
  assert.deepEqual([smtp.mails.length, lines], [1, []]);
  for (const host of ['127.0.0.1', '127.8.9.1', '[::1]', 'LOCALHOST'])
    assert.equal(maySendUnencrypted(`smtp://${host}:25`), false, host);
  for (const host of ['10.0.0.1', '127.0.0.1.example.org', 'localhost.example.org', '[::2]', 'mail'])
    assert.equal(maySendUnencrypted(`smtp://${host}:25`), true, host);
  assert.equal(maySendUnencrypted('smtps://mail.example.org'), false);
});
