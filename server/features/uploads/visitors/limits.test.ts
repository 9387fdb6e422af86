import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import {
  getInvitationDetails,
  updateInvitation,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import { completeUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunks,
} from '../../../../testing/uploads/upload-files.ts';
import { openVisit, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';
import { toIso } from '../../../platform/lib/clock.ts';

test('a file is checked by its only name and keeps it', async (t) => {
  const { server, invitation, vera } = await openVisit(t, { allowedTypes: ['pdf'] });
  const announce = (fileName: string, relativePath?: string) =>
    vera.announceAs([{ fileName, relativePath, fileSize: 0, totalChunks: 0 }]);
  for (const [fileName, path] of [['a.exe'], ['a.pdf', 'x/a.exe'], ['a.pdf', 'a.exe.'], ['pdf']] as const)
    await assert.rejects(announce(fileName, path), { status: 415, code: 'file_type_not_allowed' });
  const { uploads } = await announce('a.exe', 'docs/A.PDF');
  const rename = (fileName: string) =>
    vera.client.call(completeUpload, {
      params: { uploadId: uploads[0]!.uploadId },
      body: { invitationToken: invitation.token, fileName },
    });
  await assert.rejects(rename('a.exe'), { code: 'not_allowed' });
  await rename('A.PDF');
  const file = await server.context.db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([file.originalName, file.relativePath], ['A.PDF', 'docs/A.PDF']);
});

test('Visitor files: up to each limit and no further; the whole selection is refused', async (t) => {
  const limits = { maxFileSize: 2 * KIB, maxTotalSize: 5 * KIB, maxFiles: 3 };
  const { server, invitation, vera } = await openVisit(t, limits);
  const details = () => vera.client.call(getInvitationDetails, { params: { token: invitation.token } });
  const files = (...sizes: number[]) =>
    sizes.map((size, index) => ({ path: `${index}.bin`, bytes: Buffer.alloc(size) }));
  const refuse = (sizes: number[], sentence: string) =>
    assert.rejects(vera.announce(files(...sizes)), { status: 413, message: `413: ${sentence}` });
  await refuse([1, 2 * KIB + 1], '1.bin exceeds the 2 KB limit');
  await refuse([1, 1, 1, 1], 'You can only upload up to 3 files');
  await refuse([2 * KIB, 2 * KIB, KIB + 1], 'Total size cannot exceed 5 KB');
  const { db } = server.context;
  assert.deepEqual(await db.selectFrom('uploads').select('id').execute(), []);
  assert.deepEqual(await db.selectFrom('transfers').select('id').execute(), []);
  const announced = await vera.announce(files(2 * KIB, 2 * KIB));
  assert.deepEqual((await details()).remaining, { files: 1, bytes: KIB });
  await refuse([KIB + 1], 'Total size cannot exceed 5 KB');
  await refuse([0, 0], 'You can only upload up to 3 files');
  await vera.announce(files(KIB), announced.transferId);
  await refuse([0], 'You can only upload up to 3 files');
});

test('aborting and deletion by the owner free room; delivered files keep it, and files added by the owner use none', async (t) => {
  const { prem, invitation, vera } = await openVisit(t, { maxTotalSize: 100, maxFiles: 1 });
  const announced = await vera.announce(SMALL);
  await assert.rejects(vera.announce(SMALL), { code: 'too_many_invited_files' });
  await vera.abort(announced.uploads[0]!.uploadId);
  const id = await vera.deliver(SMALL);
  await assert.rejects(vera.announce(SMALL), { code: 'too_many_invited_files' });
  const params = { id: invitation.id };
  await prem.call(updateInvitation, { params, body: { maxFiles: 2 } });
  await assert.rejects(vera.announce(SMALL), { code: 'invited_total_exceeded' });
  const added = makeBytes(500);
  const { uploadId } = await announceFile(prem, 'more.bin', added, id);
  await sendChunks(prem, uploadId, added);
  await completeFile(prem, uploadId);
  await prem.call(updateInvitation, { params, body: { maxTotalSize: 200 } });
  const second = await vera.announce(SMALL);
  await vera.abort(second.uploads[0]!.uploadId);
  await prem.call(updateInvitation, { params, body: { maxTotalSize: 100 } });
  await prem.fetch(`/api/transfers/${id}`, { method: 'DELETE' });
  await vera.deliver(SMALL);
});

test('a recurring invitation applies its limits to each visit, and files cannot move between visits', async (t) => {
  const { server, vera, visit, invitation } = await openVisit(t, { maxFiles: 1, isRecurring: true });
  const first = await vera.announce(SMALL);
  await vera.send(first, SMALL);
  await assert.rejects(vera.announce(SMALL), { code: 'too_many_invited_files' });
  server.clock.advance(MINUTE_MS);
  const again = await visit();
  // A transfer counts in the visit that created it, even if another visit continues it.
  await assert.rejects(again.announce(SMALL, first.transferId), { code: 'too_many_invited_files' });
  const second = await again.announce(SMALL);
  await assert.rejects(again.complete({ ...first, transferId: second.transferId }), { code: 'conflict' });
  await again.complete(first);
  await again.send(second, SMALL);
  await again.complete(second);
  const rows = await server.context.db.selectFrom('transfers').select('invitationId').execute();
  assert.deepEqual(
    rows.map(({ invitationId }) => invitationId),
    [invitation.id, invitation.id],
  );
});

test('errors about the owner’s limits do not reveal the plan', async (t) => {
  const { server, vera } = await openVisit(t);
  const { monthlyTotal, storagePerTransfer } = DEFAULT_TIER_CONFIG.premium;
  const month = toIso(server.clock.now()).slice(0, 7);
  const values = { userId: server.userId('prem'), month, bytes: monthlyTotal - 100 };
  await server.context.db.insertInto('monthlyUsage').values(values).execute();
  const refusal = {
    status: 413,
    code: 'invitation_full',
    message: '413: Prem Premium doesn’t have enough space for this right now. Please let them know.',
  };
  await assert.rejects(vera.announce([{ path: 'x', bytes: makeBytes(101) }]), refusal);
  const announced = await vera.announce(SMALL);
  await vera.send(announced, SMALL);
  await server.context.db
    .updateTable('transfers')
    .set({ totalBytes: storagePerTransfer })
    .where('id', '=', announced.transferId)
    .execute();
  await assert.rejects(vera.complete(announced), refusal);
});
