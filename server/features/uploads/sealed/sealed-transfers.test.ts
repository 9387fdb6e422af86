import assert from 'node:assert/strict';
import test from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer, updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import {
  completeUploads,
  initUpload,
  initUploads,
  listUploads,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
  putSealed,
  sendSealedTransfer,
  unlockSealed,
} from '../../../../testing/uploads/sealed-transfers.ts';
import {
  announceFile,
  completeFile,
  makeBytes,
  sendChunks,
  uploadFile,
} from '../../../../testing/uploads/upload-files.ts';

const SEALED = { code: 'must_be_encrypted', status: 400 };

test('an encrypted transfer is announced, sent, completed and opened with its access key', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const sent = await sendSealedTransfer(prem, { sizes: [0, 1_000, 6_000_000] });
  const { accessKeyHash: _, ...params } = sent.encryption;
  const guest = server.anonymous();
  const path = `/api/download/${sent.token}`;
  const locked = await guest.call(viewDownload, { params: { token: sent.token } });
  assert.deepEqual(locked, { isPasswordProtected: false, unlocked: false, encryption: params });
  for (const part of ['manifest', 'files', 'all', `file/${sent.files[0]!.id}`])
    assert.equal((await guest.fetch(`${path}/${part}`)).status, 423, part);
  await unlockSealed(guest, sent);
  const view = await guest.call(viewDownload, { params: { token: sent.token } });
  assert.deepEqual([view.encryption, view.title, view.firstFileName], [params, null, null]);
  assert.deepEqual(
    view.files!.map(({ relativePath, size }) => [relativePath, size]),
    sent.files.map(({ fileName, bytes }) => [fileName, bytes.length]),
  );
  const manifest = await guest.fetch(`${path}/manifest`);
  assert.equal(manifest.headers.get('sendwell-manifest-revision'), '1');
  assert.deepEqual(Buffer.from(await manifest.arrayBuffer()), sent.manifest);
  for (const { id, bytes } of sent.files) {
    const file = await guest.fetch(`${path}/file/${id}`);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);
  }
  const own = await prem.call(getTransfer, { params: { id: sent.id } });
  assert.deepEqual([own.encryption, own.firstFileName, own.isPasswordProtected], [params, null, false]);
  assert.equal((await prem.fetch(`/api/transfers/${sent.id}/manifest`)).status, 200);
});

test('nothing readable gets into an encrypted transfer', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { encryption } = makeAccess();
  const bytes = makeSealed(10);
  const good = describeSealed(fileIdOf('a'), bytes);
  const readable: [string, object][] = [
    ['size', { fileSize: 39, totalChunks: 1 }],
    ['size between two segments', { fileSize: 1_048_576 + 39, totalChunks: 1 }],
    ['empty file', { fileSize: 0, totalChunks: 0 }],
    ['name', { fileName: 'notes.txt', relativePath: undefined }],
    ['upper case', { fileName: good.fileName.toUpperCase(), relativePath: null }],
    ['folder', { relativePath: `secret/${good.fileName}` }],
    ['other path', { relativePath: fileIdOf('b') }],
    ['type', { mimeType: 'text/plain' }],
  ];
  for (const [what, wrong] of readable) {
    const file = { ...good, ...wrong };
    await assert.rejects(prem.call(initUpload, { body: { ...file, encryption } }), SEALED, what);
    await assert.rejects(prem.call(initUploads, { body: { files: [good, file], encryption } }), SEALED, what);
  }
  assert.deepEqual(await prem.call(listUploads), []);
  const { uploadId, transferId } = await prem.call(initUpload, { body: { ...good, encryption } });
  await assert.rejects(announceFile(prem, 'notes.txt', bytes, transferId), SEALED);
  await assert.rejects(prem.call(initUpload, { body: { ...good, transferId, encryption } }), {
    code: 'invalid_input',
  });
  await sendChunks(prem, uploadId, bytes);
  await putSealed(prem, { transferId, revision: 1, bytes: makeSealedManifest() });
  for (const settings of [
    { title: 'Secret plans' },
    { message: 'Read this' },
    { password: 'open sesame' },
    { fileName: 'notes.txt' },
    { mimeType: 'text/plain' },
  ])
    await assert.rejects(completeFile(prem, uploadId, settings), SEALED, JSON.stringify(settings));
  await completeFile(prem, uploadId, { fileName: good.fileName, maxDownloads: 3 });
  for (const body of [{ title: 'Secret plans' }, { message: 'Read this' }, { password: 'open sesame' }])
    await assert.rejects(prem.call(updateTransfer, { params: { id: transferId }, body }), SEALED);
  await prem.call(updateTransfer, { params: { id: transferId }, body: { title: null, maxDownloads: 5 } });
});

test('files of other drafts cannot join an encrypted transfer, nor leave it', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const bytes = makeSealed(10);
  const open = async (seed: string, encrypted: boolean) => {
    const { encryption } = makeAccess(seed);
    const body = { ...describeSealed(fileIdOf(seed), bytes), ...(encrypted && { encryption }) };
    const upload = await prem.call(initUpload, { body });
    await sendChunks(prem, upload.uploadId, bytes);
    if (encrypted)
      await putSealed(prem, { transferId: upload.transferId, revision: 1, bytes: makeSealedManifest() });
    return upload;
  };
  const [one, other, plain] = [
    await open('one', true),
    await open('other', true),
    await open('plain', false),
  ];
  for (const [from, to] of [
    [plain, one],
    [other, one],
    [other, plain],
  ] as const) {
    const body = { transferId: to.transferId, uploadIds: [from.uploadId] };
    await assert.rejects(prem.call(completeUploads, { body }), SEALED);
  }
  for (const { uploadId } of [one, other, plain]) await completeFile(prem, uploadId);
});

test('files of an encrypted transfer are complete only with a manifest that can name them', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const missing = { code: 'manifest_missing', status: 409 };
  const bytes = makeSealed(10);
  const { encryption } = makeAccess();
  const file = describeSealed(fileIdOf('a'), bytes);
  const { uploadId, transferId } = await prem.call(initUpload, { body: { ...file, encryption } });
  await sendChunks(prem, uploadId, bytes);
  await assert.rejects(completeFile(prem, uploadId), missing);
  await putSealed(prem, { transferId, revision: 1, bytes: makeSealedManifest() });
  await completeFile(prem, uploadId);
  await completeFile(prem, uploadId);

  const added = await announceFile(prem, fileIdOf('b'), bytes, transferId);
  await sendChunks(prem, added.uploadId, bytes);
  await assert.rejects(completeFile(prem, added.uploadId), missing);
  await putSealed(prem, { transferId, revision: 2, bytes: makeSealedManifest('second') });
  await completeFile(prem, added.uploadId);
  assert.equal((await prem.call(getTransfer, { params: { id: transferId } })).fileCount, 2);
});

test('a transfer that is not encrypted has no manifest and needs no access key', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { transfer, token } = await uploadFile(prem, 'a.txt', makeBytes(3));
  const put = await putSealed(prem, { transferId: transfer.id, revision: 1, bytes: makeSealedManifest() });
  assert.equal(put.status, 404);
  const guest = server.anonymous();
  assert.equal((await guest.fetch(`/api/download/${token}/manifest`)).status, 404);
  await unlockSealed(guest, { token, accessKey: makeAccess().accessKey });
  assert.equal((await guest.call(viewDownload, { params: { token } })).encryption, undefined);
});
