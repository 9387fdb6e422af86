import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { lookUp, type Whereabouts } from '../../../../contracts/admin/lookup.ts';
import { deleteAnyTransfer, setTakenDown } from '../../../../contracts/admin/transfers.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { deleteInvitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import { abortUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, shareLink } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { announceFile, makeBytes, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { openVisit, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';

type Fate = { cause: string; transferId: string; uploadId?: string };

/** A server, and the fates that it logs, in order. */
async function startServer(t: TestContext) {
  const server = await startTestServer(t);
  return { server, logged: listenToLog(server) };
}

function listenToLog({ context }: TestServer): Fate[] {
  const logged: Fate[] = [];
  const { log } = context;
  context.log = Object.assign(Object.create(log), {
    info(fields: Fate & { ownerId: string }, message: string) {
      if (!/^(transfer|upload) fate$/.test(message)) return;
      const { cause, transferId, uploadId, ownerId } = fields;
      assert.ok(ownerId);
      logged.push({ cause, transferId, ...(uploadId && { uploadId }) });
    },
  });
  return logged;
}

async function findWhereabouts(server: TestServer, q: string): Promise<Whereabouts> {
  return (await server.signIn('ada')).call(lookUp, { query: { q } });
}

/** Asserts that each fate is in the log and in the database exactly once. */
async function requireFates(server: TestServer, logged: Fate[], expected: Fate[]): Promise<void> {
  assert.deepEqual(sorted(logged), sorted(expected), 'log');
  const rows = await server.context.db.selectFrom('fates').selectAll().execute();
  const written = rows.map(({ cause, transferId, uploadId }) => ({
    cause,
    transferId,
    ...(uploadId && { uploadId }),
  }));
  assert.deepEqual(sorted(written), sorted(expected), 'database');
}

function sorted(fates: Fate[]): string[] {
  return fates.map((fate) => JSON.stringify(fate)).sort();
}

function makeTransfer(server: TestServer, settings: object = {}) {
  return createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
    ...settings,
  });
}

async function passHours(server: TestServer, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
}

test('a deleted transfer is found by id, token and link, first as being removed, then as gone', async (t) => {
  const { server, logged } = await startServer(t);
  const { id, token, files } = await makeTransfer(server);
  assert.equal((await findWhereabouts(server, id)).state, 'ready');
  const link = shareLink(server.context.config.publicUrl, token, 'recipient');
  assert.deepEqual(await findWhereabouts(server, link), await findWhereabouts(server, token));
  const ofFile = await findWhereabouts(server, files[0]!.id);
  assert.deepEqual([ofFile.kind, ofFile.state, ofFile.transferId], ['upload', 'complete', id]);
  await (await server.signIn('frida')).call(deleteTransfer, { params: { id } });
  assert.equal((await findWhereabouts(server, id)).state, 'removing');
  await server.drainJobs();
  await requireFates(server, logged, [
    { cause: 'deleted-by-owner', transferId: id },
    { cause: 'data-removed', transferId: id },
  ]);
  for (const q of [id, token, ` ${link}\n`]) {
    const found = await findWhereabouts(server, q);
    assert.deepEqual(
      [found.kind, found.state, found.transferId, found.owner],
      ['transfer', 'gone', id, 'frida'],
    );
    assert.deepEqual(found.history.map(({ cause }) => cause).sort(), ['data-removed', 'deleted-by-owner']);
  }
});

test('an unknown id, an empty link and nonsense are reported as unknown', async (t) => {
  const { server } = await startServer(t);
  for (const q of ['0'.repeat(26), 'https://example.com/', '///', '%00', "' or 1=1"])
    assert.equal((await findWhereabouts(server, q)).state, 'unknown', q);
});

test('expiry is recorded when the transfer expires and again when its data is removed a week later', async (t) => {
  const { server, logged } = await startServer(t);
  const { id } = await makeTransfer(server, { expiresAt: server.clock.now() + 2 * HOUR_MS });
  await passHours(server, 4);
  assert.equal((await findWhereabouts(server, id)).state, 'expired');
  await requireFates(server, logged, [{ cause: 'expired', transferId: id }]);
  server.clock.advance(7 * DAY_MS - 3 * HOUR_MS);
  await passHours(server, 4);
  await requireFates(server, logged, [
    { cause: 'expired', transferId: id },
    { cause: 'expired-removed', transferId: id },
    { cause: 'data-removed', transferId: id },
  ]);
});

test('an upload idle for a day lapses, and its empty draft with it', async (t) => {
  const { server, logged } = await startServer(t);
  const frida = await server.signIn('frida');
  const { uploadId, transferId } = await announceFile(frida, 'lapsing', makeBytes(2 * CHUNK_BYTES));
  assert.equal((await findWhereabouts(server, uploadId)).state, 'open');
  server.clock.advance(23 * HOUR_MS);
  await passHours(server, 3);
  await requireFates(server, logged, [
    { cause: 'idle', transferId, uploadId },
    { cause: 'idle', transferId },
  ]);
  const found = await findWhereabouts(server, uploadId);
  assert.deepEqual([found.kind, found.state, found.history[0]?.cause], ['upload', 'gone', 'idle']);
});

test('a draft with unfinished files lapses after a day', async (t) => {
  const { server, logged } = await startServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'one of two', makeBytes(10), { fileCount: 2 });
  server.clock.advance(23 * HOUR_MS);
  await passHours(server, 3);
  await requireFates(server, logged, [
    { cause: 'idle', transferId: transfer.id },
    { cause: 'data-removed', transferId: transfer.id },
  ]);
});

test('an upload given up by its sender is recorded as aborted', async (t) => {
  const { server, logged } = await startServer(t);
  const frida = await server.signIn('frida');
  const { uploadId, transferId } = await announceFile(frida, 'a', makeBytes(10));
  await frida.call(abortUpload, { params: { uploadId } });
  await requireFates(server, logged, [
    { cause: 'aborted', transferId, uploadId },
    { cause: 'empty-draft', transferId },
  ]);
});

test('the last allowed download of an auto-delete transfer is recorded as its fate', async (t) => {
  const { server, logged } = await startServer(t);
  const { id, token, files } = await makeTransfer(server, {
    maxDownloads: 1,
    autoDeleteAfterDownloads: true,
  });
  await (await server.anonymous().fetch(fileDownloadPath(token, files[0]!.id))).arrayBuffer();
  await passHours(server, 3);
  await requireFates(server, logged, [
    { cause: 'download-limit', transferId: id },
    { cause: 'data-removed', transferId: id },
  ]);
});

test('take-down, reopening and deletion by an administrator are each recorded once', async (t) => {
  const { server, logged } = await startServer(t);
  const { id } = await makeTransfer(server);
  const ada = await server.signIn('ada');
  for (const isTakenDown of [true, true])
    await ada.call(setTakenDown, { params: { id }, body: { isTakenDown } });
  assert.equal((await findWhereabouts(server, id)).state, 'taken-down');
  for (const isTakenDown of [false, false])
    await ada.call(setTakenDown, { params: { id }, body: { isTakenDown } });
  await ada.call(deleteAnyTransfer, { params: { id } });
  await server.drainJobs();
  await requireFates(
    server,
    logged,
    ['taken-down', 'reopened', 'deleted-by-admin', 'data-removed'].map((cause) => ({
      cause,
      transferId: id,
    })),
  );
});

test('transfers of a deleted account are found without its name', async (t) => {
  const { server, logged } = await startServer(t);
  const { id } = await makeTransfer(server);
  await removeAccount(await server.signIn('frida'));
  await server.drainJobs();
  await requireFates(server, logged, [
    { cause: 'account-deleted', transferId: id },
    { cause: 'data-removed', transferId: id },
  ]);
  assert.equal((await findWhereabouts(server, id)).owner, null);
});

test('a visitor’s unfinished uploads are deleted with the invitation', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const logged = listenToLog(server);
  const { transferId } = await vera.announce(SMALL);
  await prem.call(deleteInvitation, { params: { id: invitation.id } });
  await server.drainJobs();
  await requireFates(server, logged, [
    { cause: 'invitation-deleted', transferId },
    { cause: 'data-removed', transferId },
  ]);
});

test('a fate that is rolled back is not logged', async (t) => {
  const { server, logged } = await startServer(t);
  const { id } = await makeTransfer(server);
  server.context.db = server.context.db.withPlugin({
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('auditLog')) throw new Error('no log');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await assert.rejects((await server.signIn('ada')).call(deleteAnyTransfer, { params: { id } }));
  await requireFates(server, logged, []);
});

test('fates are deleted after 90 days', async (t) => {
  const { server } = await startServer(t);
  const { id } = await makeTransfer(server);
  await (await server.signIn('frida')).call(deleteTransfer, { params: { id } });
  await server.drainJobs();
  const { db, clock } = server.context;
  const age = (days: number) =>
    db
      .updateTable('fates')
      .set({ at: clock.now() - days * DAY_MS })
      .execute();
  await age(89);
  await passHours(server, 3);
  assert.equal((await findWhereabouts(server, id)).state, 'gone');
  await age(91);
  await passHours(server, 3);
  assert.equal((await findWhereabouts(server, id)).state, 'unknown');
});
