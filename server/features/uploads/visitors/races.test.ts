import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { deleteInvitation, toggleInvitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { TestServer } from '../../../../testing/test-context.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { VERA } from '../../../../testing/visitors/visit.ts';
import { openVisit, SMALL, type VisitorUploads } from '../../../../testing/visitors/visitor-uploads.ts';

const TOM = 'tom@example.net';

/** Number and bytes of the files that an invitation, or one visit, has accepted. */
async function sumAccepted({ context }: TestServer, visitId?: string) {
  const uploads = await context.db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select(['uploads.sizeBytes', 'transfers.visitId'])
    .execute();
  const accepted = uploads.filter((upload) => visitId === undefined || upload.visitId === visitId);
  return { files: accepted.length, bytes: accepted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
}

/** Makes twenty concurrent announcements, shared out among the visitors. */
async function announceAtOnce(visitors: VisitorUploads[], fileSize: number) {
  const files = [{ path: 'x.bin', bytes: Buffer.alloc(fileSize) }];
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => visitors[index % visitors.length]!.announce(files)),
  );
  const refusals = results.filter((result) => result.status === 'rejected');
  return {
    accepted: results.length - refusals.length,
    codes: [...new Set(refusals.map(({ reason }) => (reason as ApiError).code))],
  };
}

test('Invitations: concurrent visitors never exceed the size for all of them, whatever they announce', async (t) => {
  const { server, visit, vera } = await openVisit(t, { totalBytesLimit: 7_050 });
  const answers = await announceAtOnce([vera, await visit(TOM)], 1_000);
  assert.deepEqual(answers, { accepted: 7, codes: ['invitation_bytes_exceeded'] });
  assert.deepEqual(await sumAccepted(server), { files: 7, bytes: 7_000 });
});

test('Invitations: concurrent visitors never exceed the number of files for all of them', async (t) => {
  const { server, visit, vera } = await openVisit(t, { totalFilesLimit: 7 });
  const answers = await announceAtOnce([vera, await visit(TOM)], 10);
  assert.deepEqual(answers, { accepted: 7, codes: ['invitation_files_exceeded'] });
  assert.deepEqual(await sumAccepted(server), { files: 7, bytes: 70 });
});

test('each visitor has limits of their own, exact also in concurrent windows and visits', async (t) => {
  const { server, visit, vera } = await openVisit(t, { maxFiles: 3, maxTotalSize: 2_500 });
  server.clock.advance(MINUTE_MS);
  const windows = [vera, await visit(VERA.toUpperCase()), await visit(TOM), await visit('kim@example.net')];
  const answers = await announceAtOnce(windows, 1_000);
  // Two of vera in both windows, two of tom, two of kim.
  assert.deepEqual(answers, { accepted: 6, codes: ['invited_total_exceeded'] });
  const rows = await server.context.db
    .selectFrom('uploads')
    .select(({ fn }) => ['visitorKey', fn.countAll().as('files')])
    .groupBy('visitorKey')
    .execute();
  assert.deepEqual(
    rows.map(({ files }) => Number(files)),
    [2, 2, 2],
  );
});

test('each visit to a recurring invitation has its own room, even if two are concurrent', async (t) => {
  const settings = { maxFiles: 3, maxTotalSize: 2_500, isRecurring: true };
  const { server, visit, vera } = await openVisit(t, settings);
  const answers = await announceAtOnce([vera, await visit(TOM)], 1_000);
  assert.deepEqual(answers, { accepted: 4, codes: ['invited_total_exceeded'] });
  const visits = await server.context.db.selectFrom('uploadInvitationVerifications').select('id').execute();
  for (const { id } of visits) assert.deepEqual(await sumAccepted(server, id), { files: 2, bytes: 2_000 });
});

test('after concurrent announcing, aborting and completing, the used room matches the files', async (t) => {
  const { server, visit, vera } = await openVisit(t, { totalFilesLimit: 6, totalBytesLimit: 600 });
  const visitors = [vera, await visit(TOM)];
  const drafts = await Promise.all(visitors.map((each) => each.announce([...SMALL, ...SMALL])));
  await Promise.all(visitors.map((each, index) => each.send(drafts[index]!, [...SMALL, ...SMALL])));
  await Promise.allSettled([
    ...visitors.map((each, index) => each.complete(drafts[index]!)),
    ...Array.from({ length: 10 }, (_, index) => visitors[index % 2]!.announce(SMALL)),
    vera.abort(drafts[0]!.uploads[0]!.uploadId),
  ]);
  const { files, bytes } = await sumAccepted(server);
  assert.ok(files <= 6 && bytes <= 600, `${files} files, ${bytes} bytes`);
  for (const each of visitors)
    for (const { uploadId, addsTo } of await each.list()) if (!addsTo) await each.abort(uploadId);
  const left = 6 - (await sumAccepted(server)).files;
  const answers = await announceAtOnce(visitors, 100);
  assert.equal(answers.accepted, left);
});

test('closing or deleting an invitation during completion leaves each transfer complete or absent', async (t) => {
  const { server, prem, invitation, visit, vera } = await openVisit(t);
  const visitors = [vera, await visit(TOM)];
  const drafts = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const visitor = visitors[index % 2]!;
      const files = [{ path: 'x.bin', bytes: makeBytes(50, `${index}`) }, ...SMALL];
      const draft = await visitor.announce(files);
      await visitor.send(draft, files);
      return { visitor, draft };
    }),
  );
  const params = { id: invitation.id };
  const race = async (some: typeof drafts, close: () => Promise<unknown>) => {
    const completing = some.map(({ visitor, draft }) => visitor.complete(draft));
    const [closed, ...results] = await Promise.allSettled([close(), ...completing]);
    assert.equal(closed.status, 'fulfilled');
    for (const [index, result] of results.entries()) {
      const { transferId } = some[index]!.draft;
      const isDone = result.status === 'fulfilled';
      if (!isDone) assert.match((result.reason as ApiError).code ?? '', /^invitation_(?:closed|not_found)$/);
      assert.equal(await countFiles(server, transferId), isDone ? 2 : 0);
    }
  };
  await race(drafts.slice(0, 6), () => prem.call(toggleInvitation, { params, body: { isActive: false } }));
  await prem.call(toggleInvitation, { params, body: { isActive: true } });
  await race(drafts.slice(6), () => prem.call(deleteInvitation, { params }));
});

async function countFiles({ context }: TestServer, transferId: string): Promise<number> {
  const files = await context.db
    .selectFrom('files')
    .select('id')
    .where('transferId', '=', transferId)
    .execute();
  return files.length;
}
