import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import {
  getTransfer,
  type UpdateTransferInput,
  updateTransfer,
} from '../../../../contracts/transfers/transfers.ts';
import { zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { CastName } from '../../../../testing/cast.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { toIso } from '../../../platform/lib/clock.ts';

type Wanted = Partial<Parameters<typeof createReadyTransfer>[1]>;

/** Starts with a transfer of paula (pro) by default, and a function to edit it. */
async function startWithTransfer(t: TestContext, wanted: Wanted = {}, owner: CastName = 'paula') {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId(owner),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    ...wanted,
  });
  const client = await server.signIn(owner);
  const params = { id: transfer.id };
  const edit = (body: UpdateTransferInput) => client.call(updateTransfer, { params, body });
  const detail = () => client.call(getTransfer, { params });
  const view = () =>
    server.anonymous().call(viewDownload, { params: { token: transfer.token } }) as Promise<object>;
  const setTier = (tier: 'free' | 'pro') =>
    server.context.db.updateTable('users').set({ tier }).where('id', '=', server.userId(owner)).execute();
  return { server, client, transfer, params, edit, detail, view, setTier };
}

async function countDownload(client: { fetch(path: string): Promise<Response> }, token: string) {
  const response = await client.fetch(zipDownloadPath(token));
  await response.arrayBuffer();
  return response.status;
}

test('title and message can be changed; an empty text removes them, and absent fields stay', async (t) => {
  const { edit, detail } = await startWithTransfer(t, { title: 'Old', message: 'Hi', password: 'secret' });
  const answer = await edit({ title: '  New  ' });
  assert.deepEqual([answer.title, answer.message, answer.isPasswordProtected], ['New', 'Hi', true]);
  assert.deepEqual(answer, await detail());
  await edit({ title: null, message: '' });
  const { title, message } = await edit({});
  assert.deepEqual([title, message], [null, null]);
});

test('invalid values are refused with 400 at their field, and nothing is changed', async (t) => {
  const { server, client, params, detail } = await startWithTransfer(t, { title: 'Old' });
  const now = server.clock.now();
  const wrong: [object, string][] = [
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ message: 'x'.repeat(5_001) }, 'message'],
    [{ title: 'a\0b' }, 'title'],
    [{ title: 7 }, 'title'],
    [{ recipientEmails: ['rex'] }, 'recipientEmails.0'],
    [{ recipientEmails: Array.from({ length: 51 }, (_, i) => `r${i}@example.org`) }, 'recipientEmails'],
    [{ expirationDays: 0 }, 'expirationDays'],
    [{ expirationDays: 91 }, 'expirationDays'],
    [{ expirationDays: 1.5 }, 'expirationDays'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ scheduledAvailableAt: 12 }, 'scheduledAvailableAt'],
    [{ password: 'abc' }, 'password'],
    [{ password: 'x'.repeat(51) }, 'password'],
    [{ maxDownloads: 0 }, 'maxDownloads'],
    [{ maxDownloads: 1e10 }, 'maxDownloads'],
    [{ autoDeleteAfterDownloads: 'yes' }, 'autoDeleteAfterDownloads'],
  ];
  for (const [body, field] of wrong) {
    await assert.rejects(
      client.call(updateTransfer, { params, body: { title: 'New', ...body } }),
      (error: { status: number; problem: { errors?: object } }) => {
        assert.equal(error.status, 400, field);
        assert.deepEqual(Object.keys(error.problem.errors ?? {}), [field]);
        return true;
      },
    );
  }
  const contradictions: [object, string][] = [
    [{ expiresAt: toIso(now) }, 'expiry_in_past'],
    [{ scheduledAvailableAt: toIso(now + 3 * DAY_MS) }, 'schedule_after_expiry'],
    [{ scheduledAvailableAt: toIso(now + DAY_MS), expirationDays: 1 }, 'schedule_after_expiry'],
    [{ autoDeleteAfterDownloads: true }, 'auto_delete_needs_limit'],
    [{ autoDeleteAfterDownloads: true, maxDownloads: null }, 'auto_delete_needs_limit'],
  ];
  for (const [body, code] of contradictions) {
    await assert.rejects(client.call(updateTransfer, { params, body: { title: 'New', ...body } }), {
      status: 400,
      code,
    });
  }
  assert.equal((await detail()).title, 'Old');
});

test('edits with fields that senders may not set are refused', async (t) => {
  const { server, client, params, transfer } = await startWithTransfer(t);
  const { db } = server.context;
  const find = () =>
    db.selectFrom('transfers').selectAll().where('id', '=', transfer.id).executeTakeFirstOrThrow();
  const before = await find();
  const body = {
    userId: server.userId('ada'),
    token: 'x',
    downloadCount: 0,
    status: 'draft',
    isExpired: true,
  };
  for (const [name, value] of Object.entries(body))
    await assert.rejects(client.call(updateTransfer, { params, body: { [name]: value } }), { status: 400 });
  assert.deepEqual(await find(), before);
});

test('foreign, unknown, unfinished and deleted transfers cannot be edited', async (t) => {
  const { server, transfer, params, client } = await startWithTransfer(t);
  const { db } = server.context;
  const body = { title: 'Mine', password: 'secret' };
  const missing = { status: 404, code: 'transfer_not_found' };
  for (const name of ['prem', 'ada'] as const)
    await assert.rejects((await server.signIn(name)).call(updateTransfer, { params, body }), missing);
  const unknown = { id: '0'.repeat(26) };
  await assert.rejects(client.call(updateTransfer, { params: unknown, body }), missing);
  for (const status of ['draft', 'deleting'] as const) {
    await db.updateTable('transfers').set({ status }).where('id', '=', transfer.id).execute();
    await assert.rejects(client.call(updateTransfer, { params, body }), missing);
  }
  await assert.rejects(server.anonymous().call(updateTransfer, { params, body }), { status: 401 });
});

test('the expiry counts from now, can be moved either way, and stays within the plan', async (t) => {
  const { server, edit } = await startWithTransfer(t);
  const now = server.clock.now();
  const days = async (changes: UpdateTransferInput) =>
    (Date.parse((await edit(changes)).expiresAt!) - now) / DAY_MS;
  assert.equal(await days({ expirationDays: 10 }), 10);
  assert.equal(await days({ expirationDays: 2 }), 2);
  assert.equal(await days({ expirationDays: 80 }), 30);
  assert.equal(await days({ expiresAt: toIso(now + 5 * DAY_MS), expirationDays: 9 }), 5);
  assert.equal(await days({ expiresAt: toIso(now + 500 * DAY_MS) }), 30);
  assert.equal(await days({ title: 'Another' }), 30);
});

test('an expired transfer can be reopened while its data exists', async (t) => {
  const { server, transfer, edit, view } = await startWithTransfer(t);
  await server.context.db.updateTable('transfers').set({ isExpired: 1 }).execute();
  server.clock.advance(5 * DAY_MS);
  assert.deepEqual(await view(), { isExpired: true });
  assert.equal((await edit({ title: 'Still expired' })).isExpired, true);
  const answer = await edit({ expirationDays: 1 });
  assert.equal(answer.isExpired, false);
  assert.partialDeepStrictEqual(await view(), { isExpired: false, title: 'Still expired' });
  assert.equal(await countDownload(server.anonymous(), transfer.token), 200);
  const { isExpired } = await server.context.db
    .selectFrom('transfers')
    .select('isExpired')
    .executeTakeFirstOrThrow();
  assert.equal(isExpired, 0);
});

test('the scheduled time can be moved and removed, and must be before the expiry', async (t) => {
  const { server, edit, view } = await startWithTransfer(t);
  const at = toIso(server.clock.now() + DAY_MS);
  assert.equal((await edit({ scheduledAvailableAt: at })).scheduledAvailableAt, at);
  assert.partialDeepStrictEqual(await view(), { availableAt: at });
  await assert.rejects(edit({ expirationDays: 1 }), { code: 'schedule_after_expiry' });
  assert.equal((await edit({ scheduledAvailableAt: null })).scheduledAvailableAt, null);
  assert.equal((await edit({ expirationDays: 1 })).scheduledAvailableAt, null);
});

test('a new password voids earlier unlocks, and removing it opens the transfer', async (t) => {
  const { server, transfer, edit, view } = await startWithTransfer(t, { password: 'first one' });
  const visitor = server.anonymous();
  const unlock = (password: string) =>
    visitor.fetch(`/api/download/${transfer.token}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    });
  assert.equal((await unlock('first one')).status, 204);
  assert.equal(await countDownload(visitor, transfer.token), 200);
  assert.equal((await edit({ password: 'second one' })).isPasswordProtected, true);
  assert.equal(await countDownload(visitor, transfer.token), 423);
  assert.equal((await unlock('first one')).status, 401);
  assert.equal((await unlock('second one')).status, 204);
  assert.equal(await countDownload(visitor, transfer.token), 200);
  assert.equal((await edit({ password: null })).isPasswordProtected, false);
  assert.equal(await countDownload(server.anonymous(), transfer.token), 200);
  await edit({ password: 'third one' });
  assert.deepEqual(await view(), { isPasswordProtected: true, unlocked: false });
  assert.equal((await edit({ password: '' })).isPasswordProtected, false);
});

test('a limit cannot be set below the downloads so far, and raising it reopens the transfer', async (t) => {
  const { server, transfer, edit } = await startWithTransfer(t, { maxDownloads: 3 });
  const visitor = server.anonymous();
  for (let index = 0; index < 3; index += 1)
    assert.equal(await countDownload(server.anonymous(), transfer.token), 200);
  assert.equal(await countDownload(visitor, transfer.token), 410);
  await assert.rejects(edit({ maxDownloads: 2 }), {
    status: 400,
    code: 'limit_below_downloads',
    message: '400: There have already been 3 downloads. The limit cannot be lower.',
  });
  await assert.rejects(edit({ autoDeleteAfterDownloads: true }), { code: 'limit_below_downloads' });
  await assert.rejects(edit({ maxDownloads: 3, autoDeleteAfterDownloads: true }), {
    code: 'limit_below_downloads',
  });
  assert.equal((await edit({ maxDownloads: 3 })).maxDownloads, 3);
  const raised = await edit({ maxDownloads: 4, autoDeleteAfterDownloads: true });
  assert.deepEqual([raised.maxDownloads, raised.autoDeleteAfterDownloads], [4, true]);
  const unlimited = await edit({ maxDownloads: null });
  assert.deepEqual([unlimited.maxDownloads, unlimited.autoDeleteAfterDownloads], [null, false]);
  assert.equal(await countDownload(visitor, transfer.token), 200);
});

test('a transfer closed by auto-delete cannot be reopened', async (t) => {
  const { server, edit } = await startWithTransfer(t, { maxDownloads: 1, autoDeleteAfterDownloads: true });
  await server.context.db
    .updateTable('transfers')
    .set({ closedAt: server.clock.now(), downloadCount: 1 })
    .execute();
  const usedUp = { status: 410, code: 'transfer_used_up' };
  await assert.rejects(edit({ maxDownloads: 10 }), usedUp);
  await assert.rejects(edit({ maxDownloads: null, autoDeleteAfterDownloads: false }), usedUp);
});

test('Free: no password, download limit, schedule or auto-delete by editing either', async (t) => {
  const { server, edit } = await startWithTransfer(t, {}, 'frida');
  const extras: UpdateTransferInput[] = [
    { password: 'secret' },
    { maxDownloads: 3 },
    { scheduledAvailableAt: toIso(server.clock.now() + HOUR_MS) },
    { autoDeleteAfterDownloads: true },
  ];
  for (const extra of extras) await assert.rejects(edit(extra), { status: 402, code: 'tier_required' });
  await assert.rejects(edit({ password: 'secret' }), {
    message: '402: Password protection is part of the Pro plan. Upgrade to use it.',
  });
  const nothing = { password: null, maxDownloads: null, scheduledAvailableAt: null };
  await edit({ ...nothing, autoDeleteAfterDownloads: false, title: 'Allowed' });
});

test('after a downgrade existing settings stay and can be changed or removed', async (t) => {
  const { server, edit, setTier } = await startWithTransfer(t, {
    password: 'secret',
    maxDownloads: 5,
    expiresAt: Date.UTC(2026, 10, 15, 12) + 20 * DAY_MS,
  });
  await setTier('free');
  const promised = toIso(server.clock.now() + 20 * DAY_MS);
  const edited = await edit({ title: 'New', maxDownloads: 9, expiresAt: promised });
  assert.deepEqual(
    [edited.title, edited.isPasswordProtected, edited.maxDownloads, edited.expiresAt],
    ['New', true, 9, promised],
  );
  assert.equal((await edit({ expirationDays: 60 })).expiresAt, promised);
  assert.equal((await edit({ password: 'another secret' })).isPasswordProtected, true);
  await edit({ password: null, maxDownloads: null });
  await assert.rejects(edit({ password: 'again' }), { status: 402 });
  assert.equal((await edit({ expirationDays: 2 })).expiresAt, toIso(server.clock.now() + 2 * DAY_MS));
  assert.equal((await edit({ expirationDays: 60 })).expiresAt, toIso(server.clock.now() + 3 * DAY_MS));
});

test('a download limit beyond the plan stays after a downgrade, but cannot be set again', async (t) => {
  const { edit } = await startWithTransfer(t, { maxDownloads: 5_000 });
  assert.equal((await edit({ maxDownloads: 5_000, title: 'Kept' })).maxDownloads, 5_000);
  await assert.rejects(edit({ maxDownloads: 6_000 }), { status: 402, code: 'tier_required' });
  assert.equal((await edit({ maxDownloads: 1_000 })).maxDownloads, 1_000);
});
