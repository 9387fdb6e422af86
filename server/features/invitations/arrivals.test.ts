import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteTransfer, getTransfer, updateTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  deleteInvitation,
  type Invitation,
  listArrivals,
  listInvitations,
  updateInvitation,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { countBlobs } from '../../../testing/calls/left-of-account.ts';
import { filesAreOnDisk } from '../../../testing/storage/test-storage.ts';
import type { TestServer } from '../../../testing/test-context.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import { startInvitation, VERA } from '../../../testing/visitors/visit.ts';
import { openVisit, type VisitorUploads } from '../../../testing/visitors/visitor-uploads.ts';
import { toIso } from '../../platform/lib/clock.ts';

const FILES = [
  { path: 'set/a.bin', bytes: makeBytes(3) },
  { path: 'set/b.bin', bytes: makeBytes(4) },
];

const remove = (client: Client, { id }: Invitation) => client.call(deleteInvitation, { params: { id } });
const arrivals = (client: Client, { id }: Invitation) => client.call(listArrivals, { params: { id } });

/** Uploads one of two files; the other one stays unfinished. */
async function begin(visitor: VisitorUploads): Promise<{ transferId: string; uploadId: string }> {
  const announced = await visitor.announce(FILES);
  await visitor.send(announced, FILES);
  await visitor.complete({ ...announced, uploads: announced.uploads.slice(0, 1) }, { fileCount: 2 });
  return { transferId: announced.transferId, uploadId: announced.uploads[1]!.uploadId };
}

async function findUsage({ context }: TestServer): Promise<number> {
  return (await context.db.selectFrom('monthlyUsage').select('bytes').executeTakeFirstOrThrow()).bytes;
}

test('arrived transfers are listed with their senders, newest first, and counted', async (t) => {
  const { server, prem, invitation, vera, visit } = await openVisit(t);
  const empty = await startInvitation(prem);
  assert.deepEqual(await arrivals(prem, invitation), []);
  const first = await vera.deliver(FILES, { message: 'Here they are' });
  server.clock.advance(1_000);
  const tom = await visit('tom@example.net');
  const second = await tom.deliver(FILES.slice(0, 1));
  await begin(vera);
  const now = server.clock.now();
  assert.deepEqual(await arrivals(prem, invitation), [
    {
      transferId: second,
      receivedFrom: 'tom@example.net',
      message: null,
      encryption: null,
      fileCount: 1,
      totalSize: 3,
      arrivedAt: toIso(now),
      isExpired: false,
    },
    {
      transferId: first,
      receivedFrom: VERA,
      message: 'Here they are',
      encryption: null,
      fileCount: 2,
      totalSize: 7,
      arrivedAt: toIso(now - 1_000),
      isExpired: false,
    },
  ]);
  const counts = { arrivals: { transfers: 2, files: 3, bytes: 10 }, usedFiles: 5, usedBytes: 17 };
  const listed = new Map((await prem.call(listInvitations)).map((each) => [each.id, each]));
  assert.partialDeepStrictEqual(listed.get(invitation.id), counts);
  assert.partialDeepStrictEqual(listed.get(empty.id), {
    arrivals: { transfers: 0, files: 0, bytes: 0 },
    usedFiles: 0,
    usedBytes: 0,
  });
  const change = prem.call(updateInvitation, { params: { id: invitation.id }, body: {} });
  assert.partialDeepStrictEqual(await change, counts);
});

test('expired arrivals are marked, deleted ones are neither listed nor counted', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const id = await vera.deliver(FILES);
  await prem.call(updateTransfer, { params: { id }, body: { expirationDays: 1 } });
  server.clock.advance(DAY_MS);
  assert.equal((await arrivals(prem, invitation))[0]!.isExpired, true);
  await prem.call(deleteTransfer, { params: { id } });
  assert.deepEqual(await arrivals(prem, invitation), []);
  const [shown] = await prem.call(listInvitations);
  assert.deepEqual([shown!.arrivals.transfers, shown!.usedFiles, shown!.usedBytes], [0, 0, 0]);
});

test('deleting an invitation keeps arrived files and discards unfinished uploads at once', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const id = await vera.deliver(FILES);
  const { uploadId } = await begin(vera);
  assert.equal(await findUsage(server), 14);
  await remove(prem, invitation);
  assert.equal(await findUsage(server), 10);
  for (const call of [() => vera.listChunks(uploadId), () => vera.list(), () => vera.announce(FILES)])
    await assert.rejects(call(), { status: 404, code: 'invitation_not_found' });
  for (const call of [() => remove(prem, invitation), () => arrivals(prem, invitation)])
    await assert.rejects(call(), { status: 404, code: 'invitation_not_found' });
  assert.deepEqual(await prem.call(listInvitations), []);
  await server.drainJobs();
  assert.equal((await prem.call(getTransfer, { params: { id } })).receivedFrom, VERA);
  const left = await server.context.db.selectFrom('transfers').select('id').execute();
  assert.deepEqual(
    [left.map((each) => each.id), await countBlobs(server)],
    [[id], filesAreOnDisk ? 1 : FILES.length],
  );
});

test('exactly one of several parallel deletions succeeds', async (t) => {
  const { prem, invitation, vera } = await openVisit(t);
  await begin(vera);
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => remove(prem, invitation)));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.status] : []));
  assert.deepEqual(refused, Array(5).fill(404));
});
