import assert from 'node:assert/strict';
import test from 'node:test';
import {
  getInvitationDetails,
  listInvitations,
  updateInvitation,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import { VERA } from '../../../../testing/visitors/visit.ts';
import { openVisit, SMALL, type VisitorUploads } from '../../../../testing/visitors/visitor-uploads.ts';
import { sweepUploads } from '../sweep/sweep.ts';

const TOM = 'tom@example.net';

function remaining({ client }: Pick<VisitorUploads, 'client'>, token: string) {
  return client.call(getInvitationDetails, { params: { token } }).then((details) => details.remaining);
}

test('limits count per verified address: another visitor has as much, another spelling of the same has not', async (t) => {
  const { server, invitation, visit, vera } = await openVisit(t, { maxFiles: 2, maxTotalSize: 1_000 });
  const { token } = invitation;
  await vera.deliver(SMALL);
  assert.deepEqual(await remaining(vera, token), { files: 1, bytes: 900 });
  server.clock.advance(MINUTE_MS);
  const again = await visit(VERA.replace('vera', 'Vera'));
  assert.deepEqual(await remaining(again, token), { files: 1, bytes: 900 });
  await again.deliver(SMALL);
  for (const each of [vera, again])
    await assert.rejects(each.announce(SMALL), { status: 413, code: 'too_many_invited_files' });
  assert.deepEqual(await remaining({ client: server.anonymous() }, token), { files: 2, bytes: 1_000 });
  await (await visit(TOM)).deliver([...SMALL, ...SMALL]);
  server.clock.advance(MINUTE_MS);
  // A tag makes another address, because not every mail server delivers it to the same mailbox.
  await (await visit(VERA.replace('@', '+tag@'))).deliver(SMALL);
});

test('a limit for all visitors applies besides the limit for each, and the remainder counts both', async (t) => {
  const { server, prem, invitation, visit, vera } = await openVisit(t, {
    maxFiles: 3,
    totalFilesLimit: 4,
    totalBytesLimit: 5 * KIB,
  });
  const { token } = invitation;
  const tom = await visit(TOM);
  const files = (...sizes: number[]) =>
    sizes.map((size, index) => ({ path: `${index}.bin`, bytes: Buffer.alloc(size) }));
  await vera.deliver(files(KIB, KIB));
  assert.deepEqual(await remaining(vera, token), { files: 1, bytes: 3 * KIB });
  assert.deepEqual(await remaining(tom, token), { files: 2, bytes: 3 * KIB });
  assert.deepEqual(await remaining({ client: server.anonymous() }, token), { files: 2, bytes: 3 * KIB });
  await assert.rejects(tom.announce(files(1, 1, 1)), {
    status: 413,
    message: '413: Files left in this invitation for all visitors: 2 of 4',
  });
  await assert.rejects(tom.announce(files(3 * KIB + 1)), {
    status: 413,
    message: '413: Space left in this invitation for all visitors: 3 KB of 5 KB',
  });
  await tom.deliver(files(0, 3 * KIB));
  assert.deepEqual(await remaining(vera, token), { files: 0, bytes: 0 });
  const [listed] = await prem.call(listInvitations);
  assert.partialDeepStrictEqual(listed, { totalFilesLimit: 4, usedFiles: 4, usedBytes: 5 * KIB });
  await prem.call(updateInvitation, {
    params: { id: invitation.id },
    body: { totalFilesLimit: null, totalBytesLimit: null },
  });
  await vera.deliver(files(KIB));
});

test('a total applies to recurring invitations, too', async (t) => {
  const { visit, vera, server } = await openVisit(t, {
    maxFiles: 1,
    totalFilesLimit: 2,
    isRecurring: true,
  });
  await vera.deliver(SMALL);
  for (const code of [undefined, 'invitation_files_exceeded']) {
    server.clock.advance(MINUTE_MS);
    const delivered = (await visit()).deliver(SMALL);
    if (code) await assert.rejects(delivered, { code });
    else await delivered;
  }
});

test('aborted and lapsed uploads give back both kinds of room', async (t) => {
  const settings = { maxFiles: 1, maxTotalSize: 100, totalFilesLimit: 1, totalBytesLimit: 100 };
  const { server, visit, vera, invitation } = await openVisit(t, settings);
  const tom = await visit(TOM);
  const refused = () => assert.rejects(tom.announce(SMALL), { code: 'invitation_files_exceeded' });
  const announced = await vera.announce(SMALL);
  await refused();
  await vera.abort(announced.uploads[0]!.uploadId);
  assert.deepEqual(await remaining(vera, invitation.token), { files: 1, bytes: 100 });
  await vera.announce(SMALL);
  await refused();
  for (let hour = 0; hour < 25; hour += 1) {
    server.clock.advance(HOUR_MS);
    await sweepUploads(server.context);
  }
  await (await visit(TOM)).deliver(SMALL);
});

test('invitations of earlier releases keep their limits for all visitors until the owner sets others', async (t) => {
  const { server, prem, invitation, visit, vera } = await openVisit(t, { maxFiles: 2, maxTotalSize: 500 });
  const setEarlier = (isRecurring: 0 | 1) =>
    server.context.db
      .updateTable('uploadInvitations')
      .set({ totalFilesLimit: 0, totalBytesLimit: 0, isRecurring })
      .execute();
  await setEarlier(0);
  const tom = await visit(TOM);
  await vera.deliver(SMALL);
  assert.deepEqual(await remaining(tom, invitation.token), { files: 1, bytes: 400 });
  await tom.deliver(SMALL);
  await assert.rejects(tom.announce(SMALL), { code: 'invitation_files_exceeded' });
  const [listed] = await prem.call(listInvitations);
  assert.partialDeepStrictEqual(listed, { totalFilesLimit: 2, totalBytesLimit: 500 });
  const params = { id: invitation.id };
  const raised = await prem.call(updateInvitation, { params, body: { maxFiles: 3 } });
  assert.partialDeepStrictEqual(raised, { totalFilesLimit: 3, totalBytesLimit: 500 });
  const freed = await prem.call(updateInvitation, { params, body: { totalFilesLimit: null } });
  assert.partialDeepStrictEqual(freed, { totalFilesLimit: null, totalBytesLimit: 500 });
  await tom.deliver(SMALL);
  await setEarlier(1);
  assert.partialDeepStrictEqual((await prem.call(listInvitations))[0], {
    totalFilesLimit: null,
    totalBytesLimit: null,
  });
});
