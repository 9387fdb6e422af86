import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import {
  completeUpload,
  completeUploads,
  initUpload,
  listUploads,
} from '../../../../contracts/transfers/uploads.ts';
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

test('§8 Invitations: a folder arrives as a transfer of the owner’s that says who sent it, and whole', async (t) => {
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
  const looks = await server.context.db.selectFrom('filePreviews').select('fileId').execute();
  assert.equal(looks.length, FOLDER.length, 'it is looked at for its pictures like all others');
});

test('the owner and the visitor are mailed once each, and neither mail counts against the owner’s day', async (t) => {
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

test('what a visitor sends is no upload of the owner’s, until it is there; then the owner may add to it', async (t) => {
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

test('a visitor adds to no transfer but their own draft, and not to what they have delivered', async (t) => {
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

test('a visitor who proves the address again goes on with what was left; others do not see it', async (t) => {
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

test('a visitor decides nothing but the message', async (t) => {
  const { server, vera } = await openVisit(t);
  const announced = await vera.announce(SMALL);
  await vera.send(announced, SMALL);
  const wishes = [
    { title: 'Mine' },
    { recipientEmails: ['rex@example.org'] },
    { expirationDays: 90 },
    { expiresAt: toIso(server.clock.now() + HOUR_MS) },
    { scheduledAvailableAt: toIso(server.clock.now() + HOUR_MS) },
    { password: 'secret' },
    { maxDownloads: 1 },
    { maxDownloads: 1, autoDeleteAfterDownloads: true },
  ];
  for (const wish of wishes)
    await assert.rejects(vera.complete(announced, wish), { status: 403, code: 'not_allowed' });
  assert.equal((await vera.list()).length, 1);
  await vera.complete(announced, { message: ' Hello ' });
  const row = await server.context.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.message, row.title], ['Hello', 'Studio pictures']);
});

test('a visitor’s single calls do what their calls for many do', async (t) => {
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
