import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  composeSampleMail,
  SAMPLE_SECRET,
  SAMPLE_URL,
  type SampleWords,
} from '../../../testing/calls/sample-mails.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../testing/network/smtp-server.ts';
import { migrateToLatest } from '../db/migrate.ts';
import { type Db, openDatabase } from '../db/open.ts';
import { createLog } from '../lib/logging/log.ts';
import { MAIL_KINDS, type MailKind } from './kinds.ts';
import { type Mailer, openLogMailer, openSmtpMailer } from './mailer.ts';
import { readUnsubscribe } from './opt-outs.ts';

let folder: string;
let db: Db;
let smtp: TestSmtpServer;
let mailer: Mailer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendwell-headers-'));
  db = await openDatabase({ file: join(folder, 'mails.db') });
  await migrateToLatest(db);
  smtp = await startSmtpServer();
  mailer = openSmtpMailer(smtp.url, { from: 'Sendwell <no-reply@example.org>', publicUrl: SAMPLE_URL });
});
after(async () => {
  mailer.close();
  await smtp.stop();
  await db.destroy();
  await rm(folder, { recursive: true });
});

const SCOPES: Partial<Record<MailKind, string>> = {
  'transfer-ready': 'transfers',
  'transfer-resend': 'transfers',
  'arrival-notice': 'transfers',
  'recipient-reminder': 'transfers',
  'download-notice': 'download',
  'view-notice': 'view',
  'expiry-notice': 'expiry',
  'sender-reminder': 'expiry',
  'reopen-request': 'reopen',
};

const REPLY_TO: Partial<Record<MailKind, string>> = {
  'transfer-ready': 'paula@example.org',
  'transfer-resend': 'paula@example.org',
  'recipient-reminder': 'paula@example.org',
  'transfer-received': 'vera@atelier.example.net',
  'visitor-receipt': 'paula@example.org',
};

for (const kind of MAIL_KINDS) {
  test(`the mail "${kind}" goes to one person, with the right way to answer and the right way out`, async () => {
    const mail = await sendSample(kind);
    assert.equal(mail.to?.length, 1);
    assert.equal(mail.replyTo?.[0]?.address, REPLY_TO[kind]);
    assert.equal(headerOf(mail, 'auto-submitted'), 'auto-generated');
    assert.equal(headerOf(mail, 'content-language'), 'en');
    const token = /^<https:\/\/files\.example\.org\/api\/unsubscribe\/([\w-]+)>$/.exec(
      headerOf(mail, 'list-unsubscribe') ?? '',
    )?.[1];
    assert.equal(token && readUnsubscribe({ secret: SAMPLE_SECRET }, token)?.scope, SCOPES[kind]);
    assert.equal(headerOf(mail, 'list-unsubscribe-post'), token && 'List-Unsubscribe=One-Click');
    for (const body of [mail.text, mail.html])
      assert.equal(body?.includes(`/unsubscribe/${token}`), token !== undefined);
    assert.ok(mail.text && mail.html);
  });
}

test('a mail names its language, and its subject is encoded as a whole', async () => {
  const mail = await sendSample('transfer-ready', {
    language: 'fr',
    senderName: 'Zoé\r\nBcc: evil@example.net',
  });
  assert.equal(headerOf(mail, 'content-language'), 'fr');
  assert.equal(mail.subject, 'Zoé Bcc: evil@example.net vous a envoyé « Studio pictures, final set »');
  assert.equal(mail.bcc, undefined);
});

const HOSTILE = [
  'Eve\r\nBcc: evil@example.net',
  'Eve\nX-Evil: 1\n\n<script>',
  'Eve\u2028Bcc: evil@example.net\u2029\u0085Cc: evil@example.net',
  'Eve\v\f\0Bcc: evil@example.net',
  '"Eve" <evil@example.net>, other@example.net',
  '=?utf-8?B?DQpCY2M6IGV2aWxAZXhhbXBsZS5uZXQ=?=',
  '%0D%0ABcc:%20evil@example.net %s %n {{7*7}} \\r\\n',
  `${'L'.repeat(5_000)} ${'😀'.repeat(500)}`,
  '\u202Eevil\u2066',
];

test('no name or message of a sender adds a header, recipient or part', async () => {
  const honest = await sendSample('transfer-ready');
  const names = (mail: typeof honest) => mail.headers.map(({ key }) => key);
  for (const words of HOSTILE) {
    for (const kind of [
      'transfer-ready',
      'transfer-resend',
      'arrival-notice',
      'recipient-reminder',
      'download-notice',
      'visitor-code',
      'visitor-receipt',
    ] as const) {
      const mail = await sendSample(kind, {
        senderName: words,
        title: words,
        message: words,
        fileNames: [words],
      });
      const extra = names(mail).filter((name) => !names(honest).includes(name));
      assert.deepEqual(extra, [], `${kind} from ${JSON.stringify(words).slice(0, 60)}`);
      assert.deepEqual(mail.envelope.to, [mail.to![0]!.address]);
      assert.equal(mail.bcc ?? mail.cc, undefined);
      assert.equal(mail.attachments.length, 0);
      assert.doesNotMatch(mail.subject ?? '', /[\p{Cc}\u2028\u2029\u202E\u2066]/u);
      assert.ok([...(mail.subject ?? '')].length <= 140);
      assert.ok(mail.raw.split('\r\n').every((line) => Buffer.byteLength(line) <= 998));
      assert.doesNotMatch(mail.html ?? '', /<script|<img/);
    }
  }
});

test('without a mail server the log names the codes and links that readers wait for, and prints the whole mail', async () => {
  const lines: string[] = [];
  const log = openLogMailer(createLog('info', { write: (line) => lines.push(line) }));
  for (const kind of ['verification-code', 'password-reset', 'email-changed', 'transfer-ready'] as const)
    await log.send(await composeSampleMail(db, kind));
  const events = lines.map((line) => JSON.parse(line) as { forTheReader?: string[]; msg: string });
  const shown = events.map(({ forTheReader }) => forTheReader).filter((each) => each !== undefined);
  assert.ok(events.some(({ msg }) => msg.includes('Nobody at Sendwell will ever ask you for it.')));
  assert.deepEqual(shown[0]![0], '042137');
  assert.match(shown[0]![1]!, /\/verify-email\?email=[^#]+#code=042137$/);
  for (const [index, path] of [
    '/reset-password#token=',
    '/undo-email-change#token=',
    '/download/',
  ].entries()) {
    assert.equal(shown[index + 1]?.length, 1);
    assert.ok(shown[index + 1]![0]!.startsWith(SAMPLE_URL + path));
  }
});

type Sent = TestSmtpServer['mails'][number];

async function sendSample(kind: MailKind, words: SampleWords = {}): Promise<Sent> {
  assert.equal(await mailer.send(await composeSampleMail(db, kind, words)), 'sent');
  return smtp.mails.at(-1)!;
}

function headerOf(mail: Sent, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value;
}
