import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { lookUp } from '../../../../contracts/admin/lookup.ts';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  resendTransfer,
  restoreTransfer,
  UNDO_MS,
} from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { announceFile } from '../../../../testing/uploads/upload-files.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { findUsage } from '../limits/usage.ts';
import { RESTORE_WINDOW_MS, removeTransfer } from './deletion.ts';
import { sweepExpiredTransfers } from './expiry.ts';

const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'b.txt', bytes: 'more' },
];

const refusal = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

function create(server: TestServer, settings: Partial<Parameters<typeof createReadyTransfer>[1]> = {}) {
  return createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES, ...settings });
}

const deleteUndoable = (client: Client, id: string) =>
  client.call(deleteTransfer, { params: { id }, query: { undoable: 'true' } });
const restore = (client: Client, id: string) => client.call(restoreTransfer, { params: { id } });

test('a deleted transfer is unreachable at once, and undoing brings it back as it was', async (t) => {
  const server = await startTestServer(t);
  const { id, token, files } = await create(server, {
    title: 'Harbor',
    recipientEmails: ['rex@example.org'],
  });
  const frida = await server.signIn('frida');
  const guest = server.anonymous();
  await (await guest.fetch(fileDownloadPath(token, files[0]!.id))).arrayBuffer();
  const before = await frida.call(getTransfer, { params: { id } });
  const listed = await frida.call(listTransfers);

  await deleteUndoable(frida, id);
  await assert.rejects(frida.call(getTransfer, { params: { id } }), refusal('transfer_not_found'));
  assert.deepEqual(await frida.call(listTransfers), []);
  for (const path of [
    zipDownloadPath(token),
    fileDownloadPath(token, files[0]!.id),
    `/api/download/${token}`,
  ])
    assert.equal((await guest.fetch(path)).status, 404, path);
  await assert.rejects(deleteUndoable(frida, id), refusal('transfer_not_found'));

  server.clock.advance(UNDO_MS);
  await server.drainJobs();
  await restore(frida, id);
  assert.deepEqual(await frida.call(getTransfer, { params: { id } }), before);
  assert.deepEqual(await frida.call(listTransfers), listed);
  assert.deepEqual(await frida.call(listTransfers, { query: { search: 'harbor' } }), listed);
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  const response = await guest.fetch(fileDownloadPath(token, files[0]!.id));
  assert.equal(await response.text(), 'hello world');
});

test('only its owner can undo a deletion, once, and only until the time is over', async (t) => {
  const server = await startTestServer(t);
  const [first, second] = [await create(server), await create(server)];
  const frida = await server.signIn('frida');
  const paula = await server.signIn('paula');
  await assert.rejects(restore(frida, first.id), refusal('transfer_not_found'));
  await deleteUndoable(frida, first.id);
  await deleteUndoable(frida, second.id);
  await assert.rejects(restore(paula, first.id), refusal('transfer_not_found'));
  await restore(frida, first.id);
  await assert.rejects(restore(frida, first.id), refusal('transfer_not_found'));
  server.clock.advance(RESTORE_WINDOW_MS);
  await assert.rejects(restore(frida, second.id), refusal('undo_too_late'));
  await server.drainJobs();
  await assert.rejects(restore(frida, second.id), refusal('transfer_not_found'));
  for (const { storageKey } of second.files)
    await assert.rejects(server.context.blobs.openRange(storageKey, 0, 1));
});

test('without the wish to undo, the data is destroyed by the next job', async (t) => {
  const server = await startTestServer(t);
  const { id, files } = await create(server);
  const frida = await server.signIn('frida');
  await frida.call(deleteTransfer, { params: { id } });
  await assert.rejects(restore(frida, id), refusal('undo_too_late'));
  await server.drainJobs();
  await assert.rejects(server.context.blobs.openRange(files[0]!.storageKey, 0, 1));
});

test('drafts and what auto-delete has closed cannot be restored', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const [draft, closed] = [await create(server), await create(server)];
  await db.updateTable('transfers').set({ status: 'draft' }).where('id', '=', draft.id).execute();
  await db.updateTable('transfers').set({ closedAt: 1 }).where('id', '=', closed.id).execute();
  const frida = await server.signIn('frida');
  for (const { id } of [draft, closed]) {
    await deleteUndoable(frida, id);
    await assert.rejects(restore(frida, id), refusal('undo_too_late'));
  }
});

test('what an administrator removes stays removed', async (t) => {
  const server = await startTestServer(t);
  const { id } = await create(server);
  await transaction(server.context.db, (trx) =>
    removeTransfer({ ...server.context, db: trx }, id, { cause: 'deleted-by-admin' }),
  );
  await assert.rejects(restore(await server.signIn('frida'), id), refusal('undo_too_late'));
});

test('ten concurrent restorations and deletions end in one state, with its data', async (t) => {
  const server = await startTestServer(t);
  const { id, token } = await create(server);
  const frida = await server.signIn('frida');
  await deleteUndoable(frida, id);
  const restored = await Promise.allSettled(Array.from({ length: 10 }, () => restore(frida, id)));
  assert.equal(restored.filter(({ status }) => status === 'fulfilled').length, 1);
  const mixed = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? deleteUndoable(frida, id) : restore(frida, id),
    ),
  );
  const succeeded = (parity: number) =>
    mixed.filter(({ status }, index) => index % 2 === parity && status === 'fulfilled').length;
  const isDeleted = succeeded(0) > succeeded(1);
  assert.ok([0, 1].includes(succeeded(0) - succeeded(1)));
  const status = isDeleted ? 404 : 200;
  assert.equal((await server.anonymous().fetch(zipDownloadPath(token))).status, status);
  if (isDeleted) await restore(frida, id);
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  assert.equal((await server.anonymous().fetch(zipDownloadPath(token))).status, 200);
});

test('of an undo and the job that destroys the data, exactly one wins', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  for (let round = 0; round < 10; round += 1) {
    const { id, token } = await create(server);
    await deleteUndoable(frida, id);
    // The last moment to undo. In every second round, the job is due before the call arrives.
    server.clock.advance(RESTORE_WINDOW_MS - 1);
    const undo = restore(frida, id).then(
      () => true,
      () => false,
    );
    server.clock.advance(round % 2);
    await server.drainJobs();
    const isRestored = await undo;
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
    const response = await server.anonymous().fetch(zipDownloadPath(token));
    assert.equal(response.status, isRestored ? 200 : 404);
    await response.arrayBuffer();
  }
});

test('nothing destroys the data before the time to undo is over', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const { id, files } = await create(server);
  const frida = await server.signIn('frida');
  const again = async () => {
    await deleteUndoable(frida, id);
    server.clock.advance(RESTORE_WINDOW_MS - SECOND_MS);
    await server.drainJobs();
    await sweepExpiredTransfers(server.context);
    await db
      .insertInto('jobs')
      .values({
        id: `early-${server.clock.now()}`,
        name: 'remove-transfer-data',
        payload: JSON.stringify({ transferId: id }),
        uniqueKey: null,
        runAt: 0,
        createdAt: 0,
      })
      .execute();
    await server.drainJobs();
    await (await server.context.blobs.openRange(files[0]!.storageKey, 0, 1)).close();
  };
  await again();
  await restore(frida, id);
  // A second deletion gets the whole time again.
  await again();
  server.clock.advance(SECOND_MS);
  await server.drainJobs();
  assert.deepEqual(await db.selectFrom('transfers').select('id').execute(), []);
  await assert.rejects(server.context.blobs.openRange(files[0]!.storageKey, 0, 1));
});

test('queued mails wait while their transfer is deleted, and are sent after an undo', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const [kept, gone] = [await create(server), await create(server)];
  for (const { id } of [kept, gone]) {
    const body = { recipientEmails: [`${id}@example.org`] };
    await frida.call(resendTransfer, { params: { id }, body });
    await deleteUndoable(frida, id);
  }
  await server.drainJobs();
  const states = async () =>
    Object.fromEntries((await server.mails()).map(({ recipient, state }) => [recipient, state]));
  const [toKept, toGone] = [`${kept.id}@example.org`, `${gone.id}@example.org`];
  assert.deepEqual(await states(), { [toKept]: 'dropped', [toGone]: 'dropped' });
  const text = (await server.mails()).find(({ recipient }) => recipient === toKept)!.text;
  await restore(frida, kept.id);
  const [resumed] = (await server.mails()).filter(({ recipient }) => recipient === toKept);
  assert.deepEqual([resumed!.state, resumed!.text], ['queued', text]);
  const job = await server.context.db
    .selectFrom('jobs')
    .select('payload')
    .where('name', '=', 'send-mail')
    .where('payload', '=', JSON.stringify({ mailId: resumed!.id }))
    .execute();
  assert.equal(job.length, 1);
  server.clock.advance(RESTORE_WINDOW_MS);
  await server.drainJobs();
  // The other mail is deleted with its transfer.
  assert.deepEqual(Object.keys(await states()), [toKept]);
});

test('bytes of unfinished uploads stay reserved until the data is destroyed', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const frida = await server.signIn('frida');
  const { id } = await create(server);
  const bytes = Buffer.alloc(1_000, 1);
  await announceFile(frida, 'new.bin', bytes, id);
  const month = (await db.selectFrom('monthlyUsage').select('month').executeTakeFirstOrThrow()).month;
  const usage = () => findUsage(db, server.userId('frida'), month);
  assert.equal(await usage(), 1_000);
  await deleteUndoable(frida, id);
  assert.equal(await usage(), 1_000);
  await restore(frida, id);
  assert.equal(await usage(), 1_000);
  await deleteUndoable(frida, id);
  server.clock.advance(RESTORE_WINDOW_MS);
  await server.drainJobs();
  assert.equal(await usage(), 0);
});

test('administrators can see that a deletion was undone', async (t) => {
  const server = await startTestServer(t);
  const { id } = await create(server);
  const frida = await server.signIn('frida');
  await deleteUndoable(frida, id);
  server.clock.advance(SECOND_MS);
  await restore(frida, id);
  const found = await (await server.signIn('ada')).call(lookUp, { query: { q: id } });
  assert.equal(found.state, 'ready');
  assert.deepEqual(
    found.history.map(({ cause }) => cause),
    ['restored-by-owner', 'deleted-by-owner'],
  );
});
