import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../testing/lib/manual-clock.ts';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { transaction } from '../db/transaction.ts';
import { ClockGuard } from '../jobs/clock-guard.ts';
import { createWorkerLoop } from '../jobs/worker-loop.ts';
import { createLog } from '../lib/logging/log.ts';
import { type Mailer, openLogMailer, openSmtpMailer } from './mailer.ts';
import { enqueueMail, type NewMail } from './outbox.ts';
import { sendKeptMails, sendMail } from './send-mail.ts';

describeOnBothEngines('mails kept without a mail server', (engine) => {
  test('are sent in order and once when there is one, unless they are too old or void', async (t) => {
    const db = await engine.open();
    const clock = new ManualClock();
    const clockGuard = new ClockGuard({
      db,
      clock,
      log: createLog('silent'),
      readSharedTime: async () => clock.now(),
    });
    const log = createLog('silent');
    const jobs = [sendMail, sendKeptMails];
    const put = (subject: string, mail: Partial<NewMail> = {}) =>
      transaction(db, (trx) => enqueueMail(trx, { ...NEW_MAIL, subject, createdAt: clock.now(), ...mail }));

    const without = createWorkerLoop({
      db,
      clock,
      log,
      context: { db, clock, clockGuard, mailer: openLogMailer(log) },
      jobs,
    });
    const old = await put('old');
    clock.advance(DAY_MS);
    const code = await put('code', { sendBefore: clock.now() + 15 * MINUTE_MS });
    await put('first');
    clock.advance(DAY_MS);
    await put('second');
    clock.advance(HOUR_MS);
    await put('third');
    await without.drain();
    await without.stop();

    const smtp = await startSmtpServer();
    const mailer = openSmtpMailer(smtp.url, {
      from: 'no-reply@example.org',
      publicUrl: 'https://example.org',
    });
    t.after(() => {
      mailer.close();
      return smtp.stop();
    });
    const started = createWorkerLoop({
      db,
      clock,
      log,
      context: { db, clock, clockGuard, mailer },
      jobs,
      concurrency: 1,
    });
    await started.drain();
    clock.advance(MINUTE_MS);
    await started.drain();
    clock.advance(2 * HOUR_MS);
    await started.drain();
    assert.deepEqual(
      smtp.mails.map(({ subject }) => subject),
      ['first', 'second', 'third'],
    );
    const states = await db.selectFrom('mails').select(['id', 'state', 'lastError', 'text']).execute();
    for (const id of [old, code])
      assert.deepEqual({ ...states.find((each) => each.id === id) }, { id, ...TOO_LATE });
  });

  test('keep the reason of what ended them while they were tried', async () => {
    const db = await engine.open();
    const clock = new ManualClock();
    const log = createLog('silent');
    const ended = { state: 'failed', lastError: 'No route to host' } as const;
    const mailer: Mailer = {
      ...openLogMailer(log),
      async send() {
        await db.updateTable('mails').set(ended).execute();
        return 'kept';
      },
    };
    const clockGuard = new ClockGuard({ db, clock, log, readSharedTime: async () => clock.now() });
    const context = { db, clock, clockGuard, mailer };
    const worker = createWorkerLoop({ db, clock, log, context, jobs: [sendMail] });
    await transaction(db, (trx) =>
      enqueueMail(trx, { ...NEW_MAIL, subject: 'tried', createdAt: clock.now() }),
    );
    await worker.drain();
    await worker.stop();
    assert.deepEqual(
      { ...(await db.selectFrom('mails').select(['state', 'lastError']).executeTakeFirst()) },
      ended,
    );
  });
});

const TOO_LATE = { state: 'dropped', lastError: 'It would have come too late.', text: '' };

const NEW_MAIL = {
  kind: 'transfer-ready',
  recipient: 'rex@example.net',
  text: 'text',
  html: '<p>html</p>',
} as const;
