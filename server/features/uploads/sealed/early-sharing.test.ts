import assert from 'node:assert/strict';
import test from 'node:test';
import type { Problem } from '../../../../contracts/errors.ts';
import { publishTransfer, viewArrival } from '../../../../contracts/transfers/arrival.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { SEGMENT_BYTES } from '../../../../contracts/transfers/encryption.ts';
import { completeUploads, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
  putSealed,
  unlockSealed,
} from '../../../../testing/uploads/sealed-transfers.ts';
import { sendChunk } from '../../../../testing/uploads/upload-files.ts';

type SealedFile = { name: string; bytes: Buffer; uploadId: string };

const makeFile = (seed: string, plainBytes: number) => ({
  name: fileIdOf(seed),
  bytes: makeSealed(plainBytes, seed),
});

async function announce(
  client: Client,
  files: { name: string; bytes: Buffer }[],
  to: { transferId: string } | { encryption: ReturnType<typeof makeAccess>['encryption'] },
): Promise<{ transferId: string; files: SealedFile[] }> {
  const { transferId, uploads } = await client.call(initUploads, {
    body: { ...to, files: files.map(({ name, bytes }) => describeSealed(name, bytes)) },
  });
  return {
    transferId,
    files: files.map((file, index) => ({ ...file, uploadId: uploads[index]!.uploadId })),
  };
}

async function store(client: Client, transferId: string, revision: number): Promise<void> {
  const bytes = makeSealedManifest(`revision ${revision}`);
  assert.equal((await putSealed(client, { transferId, revision, bytes })).status, 204);
}

const publish = (client: Client, id: string, expectedFiles: number, settings: object = {}) =>
  client.call(publishTransfer, { params: { id }, body: { expectedFiles, ...settings } });

const complete = (client: Client, transferId: string, { uploadId }: SealedFile) =>
  client.call(completeUploads, { body: { transferId, uploadIds: [uploadId] } });

test('recipients of an encrypted transfer download it while it arrives', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { accessKey, encryption } = makeAccess();
  const { transferId, files } = await announce(prem, [makeFile('film', 6_000_000), makeFile('note', 100)], {
    encryption,
  });
  const [film, note] = files as [SealedFile, SealedFile];

  await assert.rejects(publish(prem, transferId, 2), { code: 'manifest_missing', status: 409 });
  await store(prem, transferId, 1);
  await assert.rejects(publish(prem, transferId, 2, { title: 'Holiday' }), { code: 'must_be_encrypted' });
  const { token, status } = await publish(prem, transferId, 2);
  assert.equal(status, 'arriving');

  const guest = server.anonymous();
  await assert.rejects(guest.call(viewArrival, { params: { token } }), { status: 423 });
  await unlockSealed(guest, { token, accessKey });
  const view = await guest.call(viewDownload, { params: { token } });
  assert.deepEqual(
    view.files!.map(({ originalName, state }) => [originalName, state]),
    files.map(({ name }) => [name, 'arriving']),
  );
  const manifest = await guest.fetch(`/api/download/${token}/manifest`);
  assert.equal(manifest.headers.get('sendwell-manifest-revision'), '1');

  const path = `/api/download/${token}/file/${film.uploadId}`;
  // On S3 a file can be downloaded once it is complete.
  const download = view.arrival!.startsEarly ? guest.fetch(path) : undefined;
  await storeChunk(prem, film, 0);
  const reader = (await download)?.body?.getReader();
  const received: Uint8Array[] = [];
  const readNext = async () => {
    const { value } = (await reader?.read()) ?? {};
    if (value) received.push(value);
    return value;
  };
  await readNext();
  assert.ok(film.bytes.indexOf(Buffer.concat(received)) === 0);

  // On S3 nobody has read the chunk yet.
  if (reader) {
    // The same segments with other nonces.
    const again = await sendChunk(prem, {
      uploadId: film.uploadId,
      index: 0,
      body: new Uint8Array(makeSealed(6_000_000, 'sealed again').subarray(0, 5 * SEGMENT_BYTES)),
    });
    assert.deepEqual([again.status, ((await again.json()) as Problem).code], [409, 'chunk_differs']);
  }

  await storeChunk(prem, film, 1);
  while (await readNext()) {
    // Until the end.
  }
  if (reader) assert.ok(Buffer.concat(received).equals(film.bytes));

  await storeChunk(prem, note, 0);
  await complete(prem, transferId, note);
  await store(prem, transferId, 2);
  await complete(prem, transferId, film);
  const ready = await guest.call(viewDownload, { params: { token } });
  assert.equal(ready.arrival, undefined);
  const whole = await guest.fetch(path);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(film.bytes));
});

test('a file that is announced after the link was shared needs a newer manifest', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { transferId, files } = await announce(prem, [makeFile('film', 100)], {
    encryption: makeAccess().encryption,
  });
  await store(prem, transferId, 1);
  await publish(prem, transferId, 1);
  const added = await announce(prem, [makeFile('added', 100)], { transferId });
  for (const file of [...files, ...added.files]) await storeChunk(prem, file, 0);
  await complete(prem, transferId, files[0]!);
  await assert.rejects(complete(prem, transferId, added.files[0]!), { code: 'manifest_missing' });
  await store(prem, transferId, 2);
  await complete(prem, transferId, added.files[0]!);
});
