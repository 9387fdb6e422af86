import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import {
  completeUpload,
  completeUploads,
  initUpload,
  listUploads,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import {
  announceFile,
  completeFile,
  describeFile,
  makeBytes,
  readStored,
} from '../../../../testing/uploads/upload-files.ts';
import { VERA } from '../../../../testing/visitors/visit.ts';
import { FOLDER, openVisit, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';
import { toIso } from '../../../platform/lib/clock.ts';

test('Invitations: a folder arrives complete, as the owner’s transfer that names its sender', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const announced = await vera.announce(FOLDER);
  await vera.send(announced, FOLDER);
  const answer = await vera.complete(announced, { message: 'From the shoot' });
  const { transferId } = announced;
  assert.deepEqual(answer, { token: '', transfer: { id: transferId } });
  assert.deepEqual(await vera.complete(announced, { message: 'Again' }), answer);
  await server.drainJobs();

  const [listed] = await prem.call(listTransfers);
  assert.deepEqual([listed!.id, listed!.receivedFrom], [transferId, VERA]);
  const detail = await prem.call(getTransfer, { params: { id: transferId } });
  const retention = DEFAULT_TIER_CONFIG.premium.retentionDays;
  assert.partialDeepStrictEqual(detail, {
    title: invitation.title,
    message: 'From the shoot',
    recipientEmails: [],
    recipients: [],
    expiresAt: toIso(server.clock.now() + retention * DAY_MS),
  });
  assert.deepEqual(
    detail.files.map(({ relativePath }) => relativePath),
    FOLDER.map(({ path }) => path),
  );
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  for (const [index, file] of files.entries()) {
    assert.ok((await readStored(server.context, file)).equals(FOLDER[index]!.bytes));
    assert.notEqual(file.sha256, null, 'it is checked like all others');
  }
  const previews = await server.context.db.selectFrom('filePreviews').select('fileId').execute();
  assert.equal(previews.length, FOLDER.length, 'previews are detected as for any transfer');
});

test('owner and visitor are mailed once each, and neither mail counts against the owner’s daily quota', async (t) => {
  const { server, vera } = await openVisit(t);
  const announced = await vera.announce(FOLDER);
  await vera.send(announced, FOLDER);
  await Promise.all(Array.from({ length: 8 }, () => vera.complete(announced)));
  // The receipt waits for the checksums.
  await server.drainJobs();
  server.clock.advance(MINUTE_MS);
  await server.drainJobs();
  assert.equal((await mailsTo(server, 'transfer-received', 'prem@example.org')).length, 1);
  assert.equal((await mailsTo(server, 'visitor-receipt', VERA)).length, 1);
  const counters = await server.context.db.selectFrom('rateCounters').select('key').execute();
  assert.deepEqual(
    counters.filter(({ key }) => /^(?:mails|mailbox):/.test(key)),
    [],
  );
});

test('the owner cannot see or change a visitor’s upload until it has arrived', async (t) => {
  const { prem, vera } = await openVisit(t);
  const announced = await vera.announce(SMALL);
  const { uploadId } = announced.uploads[0]!;
  assert.deepEqual(await prem.call(listUploads), []);
  const bytes = makeBytes(5);
  await assert.rejects(announceFile(prem, 'mine', bytes, announced.transferId), {
    code: 'transfer_not_found',
  });
  const own = await announceFile(prem, 'mine', Buffer.alloc(0));
  const intoDraft = completeFile(prem, own.uploadId, { transferId: announced.transferId });
  await assert.rejects(intoDraft, { code: 'transfer_not_found' });
  await assert.rejects(completeFile(prem, uploadId), { code: 'upload_not_found' });

  await vera.send(announced, SMALL);
  await vera.complete(announced);
  await completeFile(prem, own.uploadId, { transferId: announced.transferId });
  const more = await announceFile(prem, 'more', Buffer.alloc(0), announced.transferId);
  await completeFile(prem, more.uploadId);
  const { fileCount } = await prem.call(getTransfer, { params: { id: announced.transferId } });
  assert.equal(fileCount, 3);
});

test('visitors can add files to their own drafts only, and not after delivery', async (t) => {
  const { prem, vera, visit } = await openVisit(t);
  const tom = await visit('tom@example.net');
  const delivered = await vera.deliver(SMALL);
  const owners = await announceFile(prem, 'draft', makeBytes(1));
  const toms = await tom.announce(SMALL);
  const ready = await completeFile(prem, (await announceFile(prem, 'x', Buffer.alloc(0))).uploadId);
  const veras = await vera.announce(SMALL);
  await vera.send(veras, SMALL);
  for (const transferId of [delivered, owners.transferId, toms.transferId, ready.transfer.id]) {
    await assert.rejects(vera.announce(SMALL, transferId), { code: 'transfer_not_found' });
    await assert.rejects(vera.complete({ ...veras, transferId }), { code: 'transfer_not_found' });
  }
  await vera.announce([{ path: 'second.bin', bytes: makeBytes(1) }], veras.transferId);
  assert.equal((await vera.list()).length, 2);
});

test('a visitor who verifies the address again can resume; others cannot see the uploads', async (t) => {
  const { server, vera, visit } = await openVisit(t);
  const announced = await vera.announce(FOLDER);
  const first = announced.uploads[0]!.uploadId;
  assert.equal((await vera.sendChunk(first, 1, FOLDER[0]!.bytes)).status, 200);
  server.clock.advance(2 * HOUR_MS);
  await assert.rejects(vera.list(), { status: 401, code: 'visitor_not_verified' });
  const again = await visit('VERA@atelier.example.net');
  const unfinished = await again.list();
  assert.deepEqual(
    unfinished.map(({ uploadId, receivedChunks }) => [uploadId, receivedChunks]),
    announced.uploads.map(({ uploadId }) => [uploadId, uploadId === first ? [1] : []]),
  );
  assert.deepEqual(await again.listChunks(first), [1]);
  assert.deepEqual(await (await visit('tom@example.net')).list(), []);
  await again.send(announced, FOLDER);
  await again.complete(announced);
  const file = await server.context.db
    .selectFrom('files')
    .selectAll()
    .where('id', '=', first)
    .executeTakeFirstOrThrow();
  assert.ok((await readStored(server.context, file)).equals(FOLDER[0]!.bytes));
});

test('visitors can set the message only', async (t) => {
  const { server, vera } = await openVisit(t);
  const announced = await vera.announce(SMALL);
  await vera.send(announced, SMALL);
  const forbidden = [
    { title: 'Mine' },
    { recipientEmails: ['rex@example.org'] },
    { expirationDays: 90 },
    { expiresAt: toIso(server.clock.now() + HOUR_MS) },
    { scheduledAvailableAt: toIso(server.clock.now() + HOUR_MS) },
    { password: 'secret' },
    { maxDownloads: 1 },
    { maxDownloads: 1, autoDeleteAfterDownloads: true },
  ];
  for (const settings of forbidden)
    await assert.rejects(vera.complete(announced, settings), { status: 403, code: 'not_allowed' });
  assert.equal((await vera.list()).length, 1);
  await vera.complete(announced, { message: ' Hello ' });
  const row = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.message, row.title], ['Hello', 'Studio pictures']);
});

test('visitors can use the single-file calls as well as the batch calls', async (t) => {
  const { prem, invitation, vera } = await openVisit(t);
  const invitationToken = invitation.token;
  const bytes = makeBytes(MIB);
  const { uploadId, transferId } = await vera.client.call(initUpload, {
    body: { ...describeFile('a.bin', bytes), invitationToken },
  });
  await vera.sendChunk(uploadId, 0, bytes);
  const params = { uploadId };
  const answer = await vera.client.call(completeUpload, { params, body: { invitationToken } });
  assert.deepEqual(answer, { token: '', transfer: { id: transferId } });
  const transfer = await prem.call(getTransfer, { params: { id: transferId } });
  assert.equal(transfer.totalSize, MIB);
  await assert.rejects(prem.call(completeUploads, { body: { transferId, uploadIds: [uploadId] } }), {
    code: 'upload_not_found',
  });
});
