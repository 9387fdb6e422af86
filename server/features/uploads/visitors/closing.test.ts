import assert from 'node:assert/strict';
import test from 'node:test';
import { listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { deleteInvitation, toggleInvitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import type { TestServer } from '../../../../testing/test-context.ts';
import { VERA } from '../../../../testing/visitors/visit.ts';
import { FOLDER, openVisit, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';
import { completeUploads as completeByRule } from '../core/completion.ts';
import { sweepUploads } from '../sweep/sweep.ts';

test('Invitations: disabling between chunks refuses the next one without storing it; enabling resumes', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const announced = await vera.announce(FOLDER);
  const { uploadId } = announced.uploads[0]!;
  assert.equal((await vera.sendChunk(uploadId, 0, FOLDER[0]!.bytes)).status, 200);
  const toggle = (isActive: boolean) =>
    prem.call(toggleInvitation, { params: { id: invitation.id }, body: { isActive } });
  await toggle(false);
  const refused = await vera.sendChunk(uploadId, 1, FOLDER[0]!.bytes);
  assert.equal(refused.status, 410);
  assert.equal(((await refused.json()) as { code: string }).code, 'invitation_closed');
  await assert.rejects(vera.complete(announced), { status: 410, code: 'invitation_closed' });
  assert.deepEqual(await server.context.db.selectFrom('files').select('id').execute(), []);
  assert.deepEqual(await prem.call(listTransfers), []);
  await toggle(true);
  assert.deepEqual(await vera.listChunks(uploadId), [0]);
  await vera.send(announced, FOLDER);
  await vera.complete(announced);
});

test('an invitation that closes while an upload is completed or announced stores nothing', async (t) => {
  const { server, vera } = await openVisit(t);
  const { context } = server;
  const announced = await vera.announce(SMALL);
  await vera.send(announced, SMALL);
  const user = await context.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', server.userId('prem'))
    .executeTakeFirstOrThrow();
  const draft = await context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  const visitor = {
    invitationId: draft.invitationId!,
    visitId: draft.visitId!,
    email: VERA,
    key: draft.visitorKey!,
  };
  // Call the feature directly, like a request that passed the route's check before the invitation closed.
  const complete = () =>
    completeByRule(
      context,
      { owner: user, visitor, address: '127.0.0.1' },
      {
        uploadIds: announced.uploads.map(({ uploadId }) => uploadId),
        transferId: undefined,
        fileCount: 1,
        settings: {},
      },
    );
  const closings = [{ isActive: 0 as const }, { isActive: 1 as const, expiresAt: server.clock.now() }];
  for (const closing of closings) {
    await context.db.updateTable('uploadInvitations').set(closing).execute();
    await assert.rejects(complete(), { code: 'invitation_closed' });
  }
  await context.db.deleteFrom('uploadInvitations').execute();
  await assert.rejects(complete(), { code: 'invitation_not_found' });
  assert.deepEqual(await context.db.selectFrom('files').select('id').execute(), []);
});

test('visitors’ unfinished uploads expire after a day and free their room', async (t) => {
  const { server, vera, visit } = await openVisit(t, { maxFiles: 1 });
  await vera.announce(FOLDER.slice(0, 1));
  for (let hour = 0; hour < 26; hour += 1) {
    server.clock.advance(HOUR_MS);
    await sweepUploads(server.context);
  }
  const again = await visit();
  assert.deepEqual(await again.list(), []);
  assert.equal(await findUsage(server), 0);
  assert.deepEqual(await Array.fromAsync(server.context.blobs.list()), []);
  await again.deliver(SMALL);
});

test('deleting an invitation keeps arrived files; the next sweep removes uploads in progress', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const delivered = await vera.deliver(SMALL);
  const half = await vera.announce([...SMALL, ...FOLDER]);
  await vera.send({ ...half, uploads: half.uploads.slice(0, 1) }, SMALL);
  await vera.complete({ ...half, uploads: half.uploads.slice(0, 1) }, { fileCount: 4 });
  await prem.call(deleteInvitation, { params: { id: invitation.id } });
  await assert.rejects(vera.list(), { status: 404, code: 'invitation_not_found' });
  await sweepUploads(server.context);
  await server.drainJobs();
  const { db, blobs } = server.context;
  const transfers = await db.selectFrom('transfers').select('id').execute();
  assert.deepEqual(
    transfers.map(({ id }) => id),
    [delivered],
  );
  assert.equal((await db.selectFrom('uploads').select('id').where('state', '=', 'open').execute()).length, 0);
  assert.equal((await Array.fromAsync(blobs.list())).length, 1);
  assert.equal(await findUsage(server), 2 * SMALL[0]!.bytes.length, 'what was whole counts, as always');
});

test('deleting the owner’s account also removes what a visitor is sending', async (t) => {
  const { server, prem, vera } = await openVisit(t);
  await vera.deliver(SMALL);
  const announced = await vera.announce(FOLDER);
  const { uploadId } = announced.uploads[0]!;
  await vera.sendChunk(uploadId, 0, FOLDER[0]!.bytes);
  await removeAccount(prem);
  assert.equal((await vera.sendChunk(uploadId, 1, FOLDER[0]!.bytes)).status, 404);
  await assert.rejects(vera.complete(announced), { code: 'invitation_not_found' });
  for (let minute = 0; minute < 3; minute += 1) {
    await server.drainJobs();
    server.clock.advance(MINUTE_MS);
  }
  await server.drainJobs();
  for (const table of ['transfers', 'uploads', 'files', 'uploadInvitations'] as const)
    assert.deepEqual(await server.context.db.selectFrom(table).select('id').execute(), [], table);
  assert.deepEqual(await Array.fromAsync(server.context.blobs.list()), []);
});

test('an owner who deletes arrived files does not stop the visitor', async (t) => {
  const { server, prem, vera } = await openVisit(t);
  const id = await vera.deliver(SMALL);
  const next = await vera.announce(FOLDER);
  assert.equal((await prem.fetch(`/api/transfers/${id}`, { method: 'DELETE' })).status, 204);
  await server.drainJobs();
  await vera.send(next, FOLDER);
  await vera.complete(next);
  assert.deepEqual(
    (await prem.call(listTransfers)).map((transfer) => transfer.id),
    [next.transferId],
  );
});

async function findUsage({ context }: TestServer): Promise<number> {
  const rows = await context.db.selectFrom('monthlyUsage').select('bytes').execute();
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}
