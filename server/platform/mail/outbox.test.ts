import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../testing/lib/manual-clock.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../testing/network/smtp-server.ts';
import { transaction } from '../db/transaction.ts';
import { ClockGuard } from '../jobs/clock-guard.ts';
import { createWorkerLoop } from '../jobs/worker-loop.ts';
import { createLog } from '../lib/logging/log.ts';
import { type Mailer, openLogMailer, openSmtpMailer } from './mailer.ts';
import { addOptOut } from './opt-outs.ts';
import {
  dropMails,
  dropMailsOfTransfer,
  dropReplacedMails,
  enqueueMail,
  type NewMail,
  sweepMails,
} from './outbox.ts';
import { sendMail } from './send-mail.ts';
import { renderMail } from './template/layout.ts';
import { wordingIn } from './wording.ts';

const SENDING = { from: 'Sendwell <no-reply@example.org>', publicUrl: 'https://example.org' };

describeOnBothEngines('the outbox', (engine) => {
  let smtp: TestSmtpServer;
  const open: { close(): unknown }[] = [];
  beforeEach(async () => {
    smtp = await startSmtpServer();
  });
  afterEach(async () => {
    for (const each of open.splice(0)) each.close();
    await smtp.stop();
  });

  async function openOutbox(mailer: Mailer = openSmtpMailer(smtp.url, SENDING)) {
    const db = await engine.open();
    const clock = new ManualClock();
    const clockGuard = new ClockGuard({
      db,
      clock,
      log: createLog('silent'),
      readSharedTime: async () => clock.now(),
    });
    open.push(mailer);
    const context = { db, clock, clockGuard, mailer };
    const jobs = [sendMail, sweepMails];
    const loop = createWorkerLoop({ db, clock, log: createLog('silent'), context, jobs });
    const put = (mail: Partial<NewMail> = {}) =>
      transaction(db, (trx) => enqueueMail(trx, { ...newMail(clock.now()), ...mail }));
    const read = (id: string) =>
      db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return { db, clock, loop, put, read, context };
  }

  test('delivers a mail once, with both bodies, and clears the body', async () => {
    const { loop, put, read } = await openOutbox();
    const id = await put({ replyTo: 'frida@example.org' });
    await loop.drain();
    await loop.drain();
    assert.equal(smtp.mails.length, 1);
    const [mail] = smtp.mails;
    assert.deepEqual(mail!.envelope, { from: 'no-reply@example.org', to: ['rex@example.net'] });
    assert.deepEqual(mail!.from, { address: 'no-reply@example.org', name: 'Sendwell' });
    assert.equal(mail!.replyTo?.[0]?.address, 'frida@example.org');
    assert.equal(mail!.subject, 'Frida sent you “Grüße”');
    assert.equal(mail!.messageId, `<${id}@example.org>`);
    assert.match(mail!.text ?? '', /^https:\/\/example\.org\/download\/abc$/m);
    assert.match(mail!.html ?? '', /href="https:\/\/example\.org\/download\/abc"/);
    assert.deepEqual(mail!.attachments, []);
    const row = await read(id);
    assert.equal(row.state, 'sent');
    assert.equal(row.text + row.html, '');
    assert.ok(row.sentAt);
  });

  test('retries 5 s after a 451', async () => {
    const { clock, loop, put, read } = await openOutbox();
    smtp.refuseRecipient = () => ({ code: 451, message: 'Greylisted' });
    const id = await put();
    await loop.drain();
    assert.equal((await read(id)).state, 'queued');
    assert.match((await read(id)).lastError ?? '', /Greylisted/);
    smtp.refuseRecipient = () => undefined;
    assert.equal(await loop.drain(), 0);
    clock.advance(5 * SECOND_MS);
    await loop.drain();
    assert.equal((await read(id)).state, 'sent');
    assert.equal((await read(id)).attempts, 2);
    assert.equal(smtp.mails.length, 1);
  });

  test('gives up on a recipient only after a 550, and stores the reason', async () => {
    const { db, clock, loop, put, read } = await openOutbox();
    smtp.refuseRecipient = (address) =>
      address === 'gone@example.net' ? { code: 550, message: 'No such user here' } : undefined;
    const [gone, rex] = [await put({ recipient: 'gone@example.net' }), await put()];
    await loop.drain();
    clock.advance(DAY_MS);
    await loop.drain();
    const row = await read(gone);
    assert.equal(row.state, 'failed');
    assert.match(row.lastError ?? '', /No such user here/);
    assert.equal(row.attempts, 1);
    assert.notEqual(row.text, '');
    assert.equal((await read(rex)).state, 'sent');
    const waiting = await db.selectFrom('jobs').select('id').where('name', '=', sendMail.name).execute();
    assert.deepEqual(waiting, []);
  });

  test('does not blame the recipient when the mail server refuses our own address', async () => {
    const { loop, put, read } = await openOutbox();
    smtp.refuseSender = () => ({ code: 550, message: 'Sender not allowed' });
    const id = await put();
    await loop.drain();
    assert.equal((await read(id)).state, 'queued');
  });

  test('sends each mail exactly once after an hour of all kinds of failures, and no expired code', async () => {
    const { clock, loop, put, read } = await openOutbox();
    const port = Number(new URL(smtp.url).port);
    await smtp.stop();
    const ids = await Promise.all(PEOPLE.map((recipient) => put({ recipient })));
    const code = await put({ kind: 'verification-code', sendBefore: clock.now() + 15 * MINUTE_MS });
    await passMinutes(20, { clock, loop });
    smtp = await startSmtpServer({ port });
    smtp.refuseSender = () => ({ code: 421, message: 'Too busy' });
    await passMinutes(20, { clock, loop });
    smtp.refuseSender = () => undefined;
    smtp.refuseRecipient = () => ({ code: 451, message: 'Try later' });
    await passMinutes(20, { clock, loop });
    assert.equal(smtp.mails.length, 0);
    assert.equal((await read(code)).state, 'dropped');
    smtp.refuseRecipient = () => undefined;
    await passMinutes(11, { clock, loop });
    assert.deepEqual(smtp.mails.map(({ envelope }) => envelope.to[0]).sort(), PEOPLE);
    for (const id of ids) assert.equal((await read(id)).state, 'sent');
  });

  test('does not mail a recipient who has unsubscribed, and shows the sender why', async () => {
    const { db, clock, loop, put, read } = await openOutbox();
    await addOptOut(db, 'Rex@Example.net', clock.now());
    const [share, code] = [await put(), await put({ kind: 'verification-code' })];
    await loop.drain();
    assert.equal((await read(share)).state, 'dropped');
    assert.equal((await read(share)).lastError, 'rex@example.net has opted out of emails from Sendwell.');
    assert.equal((await read(share)).text + (await read(share)).html, '');
    assert.equal((await read(code)).state, 'sent');
  });

  test('keeps mails for 48 hours while the server is down and sends them once it is back', async () => {
    const { clock, loop, put, read } = await openOutbox();
    const port = Number(new URL(smtp.url).port);
    await smtp.stop();
    const id = await put();
    for (let hour = 0; hour < 40; hour += 1) {
      await loop.drain();
      clock.advance(HOUR_MS);
    }
    assert.equal((await read(id)).state, 'queued');
    smtp = await startSmtpServer({ port });
    await loop.drain();
    assert.equal(smtp.mails.length, 1);
    assert.equal((await read(id)).state, 'sent');
  });

  test('marks a mail as failed after 48 hours', async () => {
    const { db, clock, loop, put, read } = await openOutbox(openSmtpMailer('smtp://127.0.0.1:1', SENDING));
    const id = await put();
    await db.updateTable('jobs').set({ attempts: 1_000 }).where('name', '=', sendMail.name).execute();
    await loop.drain();
    clock.advance(DAY_MS);
    await loop.drain();
    assert.equal((await read(id)).state, 'failed');
    assert.match((await read(id)).lastError ?? '', /ECONNREFUSED/);
  });

  test('keeps mails queued while a mail server on another machine offers no encryption', async () => {
    const { loop, put, read } = await openOutbox(
      openSmtpMailer(smtp.url.replace('127.0.0.1', '0.0.0.0'), SENDING),
    );
    const id = await put();
    await loop.drain();
    const { state, lastError, text } = await read(id);
    assert.equal(state, 'queued');
    assert.match(lastError ?? '', /does not offer encryption \(STARTTLS\).*SMTP_REQUIRE_TLS=off/);
    assert.notEqual(text, '');
    assert.equal(smtp.mails.length, 0);
  });

  test('times out on a hanging server and retries later', async () => {
    const sockets: Socket[] = [];
    const hanging = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => hanging.once('listening', resolve));
    const address = hanging.address();
    assert.ok(typeof address === 'object' && address);
    const mailer = openSmtpMailer(`smtp://127.0.0.1:${address.port}`, { ...SENDING, timeoutMs: 50 });
    const { loop, put, read } = await openOutbox(mailer);
    const id = await put();
    await loop.drain();
    assert.equal(sockets.length, 1);
    assert.equal((await read(id)).state, 'queued');
    assert.ok((await read(id)).lastError);
    for (const socket of sockets) socket.destroy();
    hanging.close();
  });

  test('does not send a code that is no longer valid', async () => {
    const { clock, loop, put, read } = await openOutbox();
    const id = await put({ sendBefore: clock.now() + 15 * MINUTE_MS });
    clock.advance(15 * MINUTE_MS);
    await loop.drain();
    assert.equal((await read(id)).state, 'dropped');
    assert.equal((await read(id)).text, '');
    assert.equal(smtp.mails.length, 0);
  });

  test('does not send a code that a newer one has replaced', async () => {
    const { db, loop, put, read } = await openOutbox();
    await db.insertInto('users').values(frida).execute();
    const of = { kind: 'verification-code', userId: 'frida' } as const;
    const old = await put(of);
    const other = await put({ userId: 'frida' });
    await transaction(db, (trx) => dropReplacedMails(trx, of));
    const fresh = await put(of);
    await loop.drain();
    assert.equal((await read(old)).state, 'dropped');
    for (const id of [other, fresh]) assert.equal((await read(id)).state, 'sent');
    assert.equal(smtp.mails.length, 2);
  });

  test('does not send mails about a deleted transfer', async () => {
    const { db, loop, put, read } = await openOutbox();
    await db.insertInto('users').values(frida).execute();
    const transfers = ['marked', 'gone'].map((id) => ({ ...transfer, id, token: id }));
    await db.insertInto('transfers').values(transfers).execute();
    const id = await put({ transferId: 'marked' });
    await put({ transferId: 'gone' });
    await transaction(db, (trx) => dropMailsOfTransfer(trx, 'marked'));
    await db.deleteFrom('transfers').where('id', '=', 'gone').execute();
    await loop.drain();
    assert.equal(smtp.mails.length, 0);
    assert.equal((await read(id)).state, 'dropped');
  });

  test('keeps the reason of a mail that was dropped while the mailer had it', async () => {
    const outcomes: Record<string, Mailer['send']> = {
      kept: async () => 'kept',
      retry: () => Promise.reject(new Error('Greylisted')),
    };
    for (const [name, outcome] of Object.entries(outcomes)) {
      let drop = async () => {};
      const mailer = openLogMailer(createLog('silent'));
      const { db, loop, put, read } = await openOutbox({
        ...mailer,
        send: (mail) => drop().then(() => outcome(mail)),
      });
      const id = await put();
      drop = () => transaction(db, (trx) => dropMails(trx, [id]));
      await loop.drain();
      const { state, lastError } = await read(id);
      assert.deepEqual([state, lastError], ['dropped', 'What it was about has ended.'], name);
    }
  });

  test('does not turn line breaks into headers, or one address into two', async () => {
    const { loop, put, read } = await openOutbox();
    await put({ subject: 'Hello\r\nBcc: evil@example.net\r\n\r\nbody' });
    const wrong = [
      'a@example.net, b@example.net',
      'a@example.net\r\nRCPT TO:<b@example.net>',
      '"b@x.y"@z.de',
    ];
    const ids = await Promise.all(wrong.map((recipient) => put({ recipient })));
    await loop.drain();
    assert.equal(smtp.mails.length, 1);
    assert.equal(smtp.mails[0]!.subject, 'Hello Bcc: evil@example.net body');
    assert.equal(smtp.mails[0]!.bcc, undefined);
    assert.deepEqual(smtp.mails[0]!.envelope.to, ['rex@example.net']);
    for (const id of ids) assert.equal((await read(id)).state, 'failed');
  });

  test('does not send twice when the database fails right after the mail server accepted it', async () => {
    const { db, clock, loop, put, read, context } = await openOutbox();
    const id = await put();
    const mailer = context.mailer;
    context.mailer = {
      ...mailer,
      async send(mail) {
        const outcome = await mailer.send(mail);
        await db.schema.alterTable('mails').renameTo('mailsElsewhere').execute();
        return outcome;
      },
    };
    await loop.drain();
    await db.schema.alterTable('mailsElsewhere').renameTo('mails').execute();
    assert.equal((await read(id)).state, 'queued');
    clock.advance(MINUTE_MS);
    await loop.drain();
    assert.equal((await read(id)).state, 'sent');
    assert.equal(smtp.mails.length, 1);
  });

  test('without a mail server keeps the mail and logs its whole text', async () => {
    const lines: string[] = [];
    const mailer = openLogMailer(createLog('info', { write: (line) => lines.push(line) }));
    const { loop, put, read } = await openOutbox(mailer);
    const id = await put();
    await loop.drain();
    const [event, ...rest] = lines.map((line) => JSON.parse(line));
    assert.equal(event.recipient, 'rex@example.net');
    assert.equal(event.kind, 'transfer-ready');
    assert.deepEqual(event.forTheReader, ['042137', 'https://example.org/download/abc']);
    const { state, text } = await read(id);
    assert.equal(state, 'queued');
    assert.match(text, /042137/);
    const printed = rest.map(({ mail, msg }) => {
      assert.equal(mail, id);
      return msg.trim();
    });
    const written = text.split('\n').map((line) => line.trim());
    assert.deepEqual(printed, written.filter(Boolean), 'every line, none cut');
  });

  test('deletes mails after 90 days, and kept codes once they have expired', async () => {
    const { db, clock, loop, put, read } = await openOutbox(openLogMailer(createLog('silent')));
    const code = await put({ sendBefore: clock.now() + 15 * MINUTE_MS });
    await loop.drain();
    assert.notEqual((await read(code)).text, '');
    clock.advance(DAY_MS);
    await loop.drain();
    assert.equal((await read(code)).text, '');
    clock.advance(90 * DAY_MS);
    await loop.drain();
    assert.deepEqual(await db.selectFrom('mails').select('id').execute(), []);
  });
});

const PEOPLE = Array.from({ length: 5 }, (_, index) => `guest-${index}@example.net`);

type Ticking = { clock: ManualClock; loop: { drain(): Promise<number> } };

async function passMinutes(minutes: number, { clock, loop }: Ticking): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await loop.drain();
    clock.advance(MINUTE_MS);
  }
  await loop.drain();
}

function newMail(createdAt: number): NewMail {
  const content = renderMail(wordingIn(null), {
    preview: 'Three of them.',
    title: 'Frida sent you files',
    blocks: [
      { kind: 'code', code: '042137' },
      { kind: 'button', label: 'Download', url: 'https://example.org/download/abc' },
    ],
    reason: 'Frida entered your address.',
  });
  return {
    kind: 'transfer-ready',
    recipient: 'rex@example.net',
    subject: 'Frida sent you “Grüße”',
    ...content,
    createdAt,
  };
}

const frida = {
  id: 'frida',
  name: 'Frida',
  username: 'frida',
  usernameKey: 'frida',
  passwordHash: '',
  email: 'frida@example.org',
  emailKey: 'frida@example.org',
  emailVerified: 1,
  isAdmin: 0,
  tier: 'free',
  createdAt: 1,
} as const;

const transfer = { userId: 'frida', status: 'ready', recipientEmails: '[]', createdAt: 1 } as const;
