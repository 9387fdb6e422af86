import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import {
  BATCH_MAX,
  batchDelete,
  batchExtend,
  deleteAnyTransfer,
  extendTransfer,
} from '../../../../contracts/admin/transfers.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { renewSessions } from '../../../../testing/calls/renewed-sessions.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import { announceFile, completeFile, makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { EXPIRY_GRACE_MS, sweepExpiredTransfers } from '../../transfers/lifecycle/expiry.ts';

async function startWithTransfers(t: TestContext, count = 1) {
  const server = await startTestServer(t);
  const transfers: ReadyTransfer[] = [];
  for (let index = 0; index < count; index += 1) {
    transfers.push(
      await createReadyTransfer(server.context, {
        userId: server.userId('frida'),
        title: `T${index}`,
        files: [{ path: 'a.txt', bytes: 'hello' }],
      }),
    );
  }
  return { server, transfers, ids: transfers.map(({ id }) => id), ada: await server.signIn('ada') };
}

const UNKNOWN = '0'.repeat(26);

async function listRows({ context }: TestServer) {
  return context.db.selectFrom('transfers').select(['id', 'status', 'expiresAt', 'isExpired']).execute();
}

test('DELETE /api/admin/transfers/{id} removes the transfer, its bytes and its link', async (t) => {
  const { server, ids, transfers, ada } = await startWithTransfers(t, 2);
  await ada.call(deleteAnyTransfer, { params: { id: ids[0]! } });
  const params = { token: transfers[0]!.token };
  await assert.rejects(server.anonymous().call(viewDownload, { params }), { status: 404 });
  await server.drainJobs();
  assert.deepEqual(
    (await listRows(server)).map(({ id }) => id),
    [ids[1]],
  );
  await assert.rejects(server.context.blobs.openRange(transfers[0]!.files[0]!.storageKey, 0, 1));
  for (const id of [ids[0]!, UNKNOWN])
    await assert.rejects(ada.call(deleteAnyTransfer, { params: { id } }), { code: 'transfer_not_found' });
  const [entry, ...others] = await ada.call(listAudit);
  assert.deepEqual(
    [entry!.action, entry!.subject, entry!.actor, entry!.details, others],
    ['transfer.delete', 'T0', 'ada', { owner: 'frida' }, []],
  );
});

test('an extension adds 7 days by default to the current end', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t);
  const start = server.clock.now();
  const params = { id: ids[0]! };
  const once = await ada.call(extendTransfer, { params, body: {} });
  assert.equal(once.expiresAt, toIso(start + 10 * DAY_MS));
  server.clock.advance(HOUR_MS);
  await renewSessions(server);
  // The free plan keeps transfers for 3 days; an administrator may exceed that.
  const twice = await ada.call(extendTransfer, { params, body: { days: 90 } });
  assert.equal(twice.expiresAt, toIso(start + 100 * DAY_MS));
  for (const days of [0, 91, 1.5]) {
    await assert.rejects(ada.call(extendTransfer, { params, body: { days } }), { status: 400 });
  }
  await assert.rejects(ada.call(extendTransfer, { params: { id: UNKNOWN }, body: {} }), { status: 404 });
  const acts = await ada.call(listAudit);
  assert.deepEqual(
    acts.map(({ action, details }) => [action, details]),
    [
      ['transfer.extend', { owner: 'frida', days: 90 }],
      ['transfer.extend', { owner: 'frida', days: 7 }],
    ],
  );
});

test('an expired transfer whose data still exists is extended from now and opens again', async (t) => {
  const { server, transfers, ids } = await startWithTransfers(t);
  const params = { token: transfers[0]!.token };
  server.clock.advance(3 * DAY_MS + HOUR_MS);
  await sweepExpiredTransfers(server.context);
  assert.deepEqual(await server.anonymous().call(viewDownload, { params }), { isExpired: true });
  const again = await server.signIn('ada');
  const extended = await again.call(extendTransfer, { params: { id: ids[0]! }, body: { days: 2 } });
  assert.deepEqual([extended.expiresAt, extended.isExpired], [toIso(server.clock.now() + 2 * DAY_MS), false]);
  assert.equal((await server.anonymous().call(viewDownload, { params })).files?.length, 1);
  assert.equal((await listRows(server))[0]!.isExpired, 0);
  const file = await server
    .anonymous()
    .fetch(`/api/download/${params.token}/file/${transfers[0]!.files[0]!.id}`);
  assert.equal(await file.text(), 'hello');
  // A deleted transfer stays deleted.
  await again.call(deleteAnyTransfer, { params: { id: ids[0]! } });
  await assert.rejects(again.call(extendTransfer, { params: { id: ids[0]! }, body: {} }), {
    code: 'transfer_not_found',
  });
});

test('extending a transfer without an expiry leaves it without one', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t);
  await server.context.db.updateTable('transfers').set({ expiresAt: null }).execute();
  const { expiresAt } = await ada.call(extendTransfer, { params: { id: ids[0]! }, body: {} });
  assert.equal(expiresAt, null);
});

test('an extension of a transfer that is still arriving counts from its arrival', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const ada = await server.signIn('ada');
  const { id, files } = await publishFiles(frida, [{ name: 'a.txt', bytes: Buffer.from('hello') }], {
    expirationDays: 2,
  });
  await ada.call(extendTransfer, { params: { id }, body: { days: 7 } });
  await storeChunk(frida, files[0]!, 0);
  server.clock.advance(HOUR_MS);
  await completeFile(frida, files[0]!.uploadId, { transferId: id });
  const [row] = await listRows(server);
  assert.deepEqual([row!.status, row!.expiresAt], ['ready', server.clock.now() + 9 * DAY_MS]);
});

test('five concurrent extensions by 7 days add up to exactly 35 days', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t);
  const start = server.clock.now();
  await Promise.all(
    Array.from({ length: 5 }, () => ada.call(extendTransfer, { params: { id: ids[0]! }, body: {} })),
  );
  assert.equal((await listRows(server))[0]!.expiresAt, start + 38 * DAY_MS);
});

test('a sweep concurrent with an extension leaves a transfer complete or removes it entirely', async (t) => {
  const { server, transfers, ids } = await startWithTransfers(t, 6);
  server.clock.advance(3 * DAY_MS + EXPIRY_GRACE_MS - HOUR_MS);
  await sweepExpiredTransfers(server.context);
  server.clock.advance(HOUR_MS);
  const ada = await server.signIn('ada');
  const outcomes = await Promise.all([
    ...ids.map((id) =>
      ada.call(extendTransfer, { params: { id }, body: {} }).then(
        () => true,
        () => false,
      ),
    ),
    sweepExpiredTransfers(server.context),
  ]);
  await server.drainJobs();
  for (const [index, { id, files }] of transfers.entries()) {
    const row = (await listRows(server)).find((each) => each.id === id);
    assert.equal(row?.status, outcomes[index] ? 'ready' : undefined);
    const range = server.context.blobs.openRange(files[0]!.storageKey, 0, 1);
    if (outcomes[index]) await (await range).close();
    else await assert.rejects(range);
  }
});

test('batch-delete and batch-extend count exactly and skip unknown, deleted and repeated IDs', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t, 4);
  const start = server.clock.now();
  const [first, second, third, fourth] = ids as [string, string, string, string];
  await ada.call(deleteAnyTransfer, { params: { id: fourth } });
  const extending = { transferIds: [first, UNKNOWN, first, second, fourth] };
  assert.deepEqual(await ada.call(batchExtend, { body: extending }), { extended: 2 });
  const ends = new Map((await listRows(server)).map(({ id, expiresAt }) => [id, expiresAt! - start]));
  assert.deepEqual(
    [first, second, third].map((id) => ends.get(id)! / DAY_MS),
    [10, 10, 3],
  );
  const deleting = { transferIds: [first, first, third, UNKNOWN, fourth] };
  assert.deepEqual(await ada.call(batchDelete, { body: deleting }), { deleted: 2 });
  assert.deepEqual(await ada.call(batchDelete, { body: deleting }), { deleted: 0 });
  await server.drainJobs();
  assert.deepEqual(
    (await listRows(server)).map(({ id }) => id),
    [second],
  );
  const acts = await ada.call(listAudit, { query: { action: 'transfer.delete' } });
  assert.deepEqual(acts.map(({ subject }) => subject).sort(), ['T0', 'T2', 'T3']);
});

test('empty, oversized and invalid batches are refused', async (t) => {
  const { ada } = await startWithTransfers(t);
  const tooMany = Array.from({ length: BATCH_MAX + 1 }, () => UNKNOWN);
  for (const transferIds of [[], tooMany, ['../x'], 'all', null]) {
    await assert.rejects(ada.call(batchDelete, { body: { transferIds } }), { status: 400 });
    await assert.rejects(ada.call(batchExtend, { body: { transferIds } }), { status: 400 });
  }
  const most = tooMany.slice(1).map((_, index) => String(index).padStart(26, '0'));
  assert.deepEqual(await ada.call(batchDelete, { body: { transferIds: most } }), { deleted: 0 });
});

test('concurrent batches delete each transfer once and add up their extensions', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t, 12);
  const start = server.clock.now();
  const [lasting, dying] = [ids.slice(0, 6), ids.slice(4)];
  const orders = [ids, ids.toReversed(), ids.toSorted()];
  const extended = await Promise.all(
    orders.map((transferIds) => ada.call(batchExtend, { body: { transferIds, days: 2 } })),
  );
  assert.deepEqual(extended, [{ extended: 12 }, { extended: 12 }, { extended: 12 }]);
  const deleted = await Promise.all(
    [dying, dying.toReversed(), dying.slice(2)].map((transferIds) =>
      ada.call(batchDelete, { body: { transferIds } }),
    ),
  );
  assert.equal(
    deleted.reduce((sum, answer) => sum + answer.deleted, 0),
    8,
  );
  await server.drainJobs();
  const rows = await listRows(server);
  assert.deepEqual(rows.map(({ id }) => id).sort(), lasting.slice(0, 4).sort());
  assert.ok(rows.every(({ expiresAt }) => expiresAt === start + 9 * DAY_MS));
  const acts = await ada.call(listAudit, { query: { action: 'transfer.delete' } });
  assert.equal(acts.length, 8);
});

test('deleting releases the monthly usage of unfinished uploads and drops queued mails', async (t) => {
  const { server, ids, ada } = await startWithTransfers(t, 2);
  const frida = await server.signIn('frida');
  const { db } = server.context;
  await announceFile(frida, 'more', makeBytes(70), ids[0]);
  await announceFile(frida, 'and more', makeBytes(30), ids[1]);
  await announceFile(frida, 'elsewhere', makeBytes(5));
  const body = { recipientEmails: ['rex@example.org'] };
  await frida.call(updateTransfer, { params: { id: ids[0]! }, body });
  assert.deepEqual(await ada.call(batchDelete, { body: { transferIds: ids } }), { deleted: 2 });
  const usage = await db.selectFrom('monthlyUsage').select('bytes').executeTakeFirstOrThrow();
  assert.equal(usage.bytes, 5);
  const [mail] = await server.mails();
  assert.deepEqual([mail!.state, mail!.text], ['dropped', '']);
});
