import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { CastName } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { announceFile, completeFile, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { toIso } from '../../../platform/lib/clock.ts';

const NOTHING = Buffer.alloc(0);

/** Starts with an upload that is ready for completion; of paula (pro) by default. */
async function startWithUpload(t: TestContext, name: CastName = 'paula') {
  const server = await startTestServer(t);
  const client = await server.signIn(name);
  const { uploadId, transferId } = await announceFile(client, 'x', NOTHING);
  return {
    server,
    client,
    complete: (settings: object) => completeFile(client, uploadId, settings),
    detail: () => client.call(getTransfer, { params: { id: transferId } }),
    /** Sends another transfer with these settings. */
    send: async (settings: object) => {
      const { transfer } = await uploadFile(client, 'y', NOTHING, settings);
      return client.call(getTransfer, { params: { id: transfer.id } });
    },
  };
}

const refusedAt = (field: string, message?: string) => (error: unknown) => {
  const { status, problem } = error as { status: number; problem: { errors?: Record<string, string> } };
  assert.equal(status, 400);
  assert.deepEqual(Object.keys(problem.errors ?? {}), [field]);
  if (message) assert.equal(problem.errors![field], message);
  return true;
};

test('Transfer creation: expirationDays from 1 to the plan’s retention; other values are ignored', async (t) => {
  const { server, send } = await startWithUpload(t);
  const now = server.clock.now();
  const cases: [object, number][] = [
    [{}, 30],
    [{ expirationDays: 1 }, 1],
    [{ expirationDays: 7 }, 7],
    [{ expirationDays: 30 }, 30],
    [{ expirationDays: 31 }, 30],
    [{ expirationDays: 90 }, 30],
    [{ expirationDays: 91 }, 30],
    [{ expirationDays: 0 }, 30],
    [{ expirationDays: -3 }, 30],
    [{ expirationDays: 1.5 }, 30],
  ];
  for (const [settings, days] of cases)
    assert.equal((await send(settings)).expiresAt, toIso(now + days * DAY_MS), JSON.stringify(settings));
});

test('Transfer creation: expiresAt overrides expirationDays, within the plan', async (t) => {
  const { server, send, complete } = await startWithUpload(t);
  const now = server.clock.now();
  const inDays = (days: number) => toIso(now + days * DAY_MS);
  const exact = await send({ expirationDays: 7, expiresAt: inDays(2) });
  assert.equal(exact.expiresAt, inDays(2));
  assert.equal((await send({ expiresAt: inDays(80) })).expiresAt, inDays(30));
  await assert.rejects(complete({ expiresAt: toIso(now) }), { status: 400, code: 'expiry_in_past' });
  await assert.rejects(complete({ expiresAt: 'tomorrow' }), refusedAt('expiresAt'));
});

test('Retention days default to the tier’s retentionDays', async (t) => {
  const server = await startTestServer(t);
  for (const [name, days] of [
    ['frida', 3],
    ['paula', 30],
    ['prem', 90],
  ] as const) {
    const client = await server.signIn(name);
    const { transfer } = await uploadFile(client, 'x', NOTHING);
    const { expiresAt } = await client.call(getTransfer, { params: { id: transfer.id } });
    assert.equal(expiresAt, toIso(server.clock.now() + days * DAY_MS), name);
  }
});

test('Transfer creation: plainPassword 4 to 50 characters', async (t) => {
  const { complete, send } = await startWithUpload(t);
  await assert.rejects(
    complete({ password: 'abc' }),
    refusedAt('password', 'Please use at least 4 characters.'),
  );
  await assert.rejects(
    complete({ password: 'x'.repeat(51) }),
    refusedAt('password', 'Please use at most 50 characters.'),
  );
  await assert.rejects(complete({ password: 'a\0bcd' }), refusedAt('password'));
  await assert.rejects(complete({ password: 12345 }), refusedAt('password'));
  for (const password of ['abcd', 'x'.repeat(50), ' pw '])
    assert.equal((await send({ password })).isPasswordProtected, true);
  assert.equal((await send({ password: '' })).isPasswordProtected, false);
});

test('Download limit: numeric, minimum 1', async (t) => {
  const { complete, send } = await startWithUpload(t);
  await assert.rejects(
    complete({ maxDownloads: 0 }),
    refusedAt('maxDownloads', 'The download limit must be at least 1'),
  );
  for (const maxDownloads of [-1, 1.5, '3', 'many', 1e10, true])
    await assert.rejects(complete({ maxDownloads }), refusedAt('maxDownloads'), String(maxDownloads));
  assert.equal((await send({ maxDownloads: 1 })).maxDownloads, 1);
  assert.equal((await send({ maxDownloads: null })).maxDownloads, null);
});

test('Transfer creation: autoDeleteAfterDownloads needs a download limit', async (t) => {
  const { complete, send } = await startWithUpload(t);
  await assert.rejects(complete({ autoDeleteAfterDownloads: true }), {
    status: 400,
    code: 'auto_delete_needs_limit',
  });
  const { maxDownloads, autoDeleteAfterDownloads } = await send({
    maxDownloads: 2,
    autoDeleteAfterDownloads: true,
  });
  assert.deepEqual([maxDownloads, autoDeleteAfterDownloads], [2, true]);
});

test('Transfer creation: scheduledAvailableAt must be before the expiry', async (t) => {
  const { server, complete, send } = await startWithUpload(t);
  const inDays = (days: number) => toIso(server.clock.now() + days * DAY_MS);
  const tooLate = { status: 400, code: 'schedule_after_expiry' };
  await assert.rejects(complete({ scheduledAvailableAt: inDays(31) }), tooLate);
  await assert.rejects(complete({ expirationDays: 2, scheduledAvailableAt: inDays(2) }), tooLate);
  await assert.rejects(complete({ scheduledAvailableAt: 'soon' }), refusedAt('scheduledAvailableAt'));
  assert.equal((await send({ scheduledAvailableAt: inDays(1) })).scheduledAvailableAt, inDays(1));
});

test('Transfer creation: title and message are trimmed, at most 200 and 5,000 characters', async (t) => {
  const { complete, send } = await startWithUpload(t);
  await assert.rejects(complete({ title: 'x'.repeat(201) }), refusedAt('title'));
  await assert.rejects(complete({ message: 'x'.repeat(5_001) }), refusedAt('message'));
  await assert.rejects(complete({ title: '\ud800' }), refusedAt('title'));
  const sent = await send({ title: ` ${'x'.repeat(200)} `, message: `\n${'y'.repeat(5_000)}\n` });
  assert.deepEqual([sent.title, sent.message], ['x'.repeat(200), 'y'.repeat(5_000)]);
  const blank = await send({ title: '   ', message: '' });
  assert.deepEqual([blank.title, blank.message], [null, null]);
});

test('Recipient e-mails: comma-separated, optional, each once', async (t) => {
  const { complete, send } = await startWithUpload(t);
  assert.deepEqual((await send({})).recipientEmails, []);
  assert.deepEqual((await send({ recipientEmails: '' })).recipientEmails, []);
  const { recipientEmails } = await send({
    recipientEmails: ' rex@example.org,vera@example.org, ,REX@example.org',
  });
  assert.deepEqual(recipientEmails, ['rex@example.org', 'vera@example.org']);
  await assert.rejects(
    complete({ recipientEmails: 'rex@example.org, vera@' }),
    refusedAt('recipientEmails.1', 'Please enter a valid email address'),
  );
  const many = Array.from({ length: 51 }, (_, index) => `rex${index}@example.org`);
  await assert.rejects(complete({ recipientEmails: many }), refusedAt('recipientEmails'));
  assert.equal((await send({ recipientEmails: many.slice(1) })).recipients.length, 50);
});

test('Free: settings that the plan does not include are refused with 402, and the upload stays open', async (t) => {
  const { server, complete, detail } = await startWithUpload(t, 'frida');
  const extras = [
    { password: 'secret' },
    { maxDownloads: 3 },
    { scheduledAvailableAt: toIso(server.clock.now() + HOUR_MS) },
    { autoDeleteAfterDownloads: true },
  ];
  for (const extra of extras)
    await assert.rejects(complete(extra), { status: 402, code: 'tier_required' }, JSON.stringify(extra));
  await assert.rejects(complete({ password: 'secret' }), {
    message: '402: Password protection is part of the Pro plan. Upgrade to use it.',
  });
  await complete({ password: '', maxDownloads: null, autoDeleteAfterDownloads: false });
  assert.equal((await detail()).isPasswordProtected, false);
});

test('the plan at completion decides', async (t) => {
  const { server, complete } = await startWithUpload(t);
  const setTier = (tier: 'free' | 'pro') =>
    server.context.db.updateTable('users').set({ tier }).where('id', '=', server.userId('paula')).execute();
  await setTier('free');
  await assert.rejects(complete({ password: 'secret' }), { code: 'tier_required' });
  await setTier('pro');
  await complete({ password: 'secret', maxDownloads: 2, autoDeleteAfterDownloads: true });
  const transfer = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.match(transfer.passwordHash!, /^\$argon2id\$/);
  assert.deepEqual([transfer.maxDownloads, transfer.autoDeleteAfterDownloads], [2, 1]);
});

test('a transfer has at least one file', async (t) => {
  const { complete } = await startWithUpload(t);
  await assert.rejects(complete({ fileCount: 0 }), refusedAt('fileCount'));
});

test('the maximum download limit is 1,000 for Pro and 1,000,000 for Premium', async (t) => {
  const { server, send } = await startWithUpload(t);
  assert.equal((await send({ maxDownloads: 1_000 })).maxDownloads, 1_000);
  await assert.rejects(send({ maxDownloads: 1_001 }), {
    status: 402,
    code: 'tier_required',
    message: '402: A download limit above 1,000 is part of the Premium plan. Upgrade to use it.',
  });
  const prem = await server.signIn('prem');
  const { transfer } = await uploadFile(prem, 'z', NOTHING, { maxDownloads: 1_000_000 });
  assert.equal((await prem.call(getTransfer, { params: { id: transfer.id } })).maxDownloads, 1_000_000);
  await assert.rejects(
    uploadFile(prem, 'z', NOTHING, { maxDownloads: 1_000_001 }),
    refusedAt('maxDownloads'),
  );
});
