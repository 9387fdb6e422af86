import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { abortUpload, initUpload, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { GIB, MIB } from '../../../../contracts/values/sizes.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { filesAreOnDisk } from '../../../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  announceFile,
  describeFile,
  makeBytes,
  sendChunks,
} from '../../../../testing/uploads/upload-files.ts';
import { findReservedDiskSpace } from './disk-reservations.ts';

const RESERVE_BYTES = 256 * MIB;
const FILE_BYTES = 10 * MIB;
const file = { fileName: 'a.bin', fileSize: FILE_BYTES, totalChunks: 2 };

type World = { server: TestServer; frida: Client; setRoom(bytes: number): void };

/** A server whose disk has this many bytes free above its reserve. */
async function openWorld(t: TestContext, roomBytes: number): Promise<World> {
  const server = await startTestServer(t);
  const space = { freeBytes: 0, totalBytes: GIB };
  const setRoom = (bytes: number) => {
    space.freeBytes = RESERVE_BYTES + bytes;
  };
  setRoom(roomBytes);
  t.mock.method(server.context.blobs, 'freeSpace', async () => space);
  return { server, frida: await server.signIn('frida'), setRoom };
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 507;
}

test('bytes announced in parallel count against the free space', async (t) => {
  const { server, frida } = await openWorld(t, 10 * FILE_BYTES);
  const ada = await server.signIn('ada');
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? ada : frida).call(initUpload, { body: file })),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 10);
  assert.ok(refused.every((result) => isRefused((result as PromiseRejectedResult).reason)));
  assert.equal(await findReservedDiskSpace(server.context), 10 * FILE_BYTES);
});

test('aborting an upload releases its space at once', async (t) => {
  const { frida } = await openWorld(t, FILE_BYTES);
  const { uploadId } = await frida.call(initUpload, { body: file });
  await assert.rejects(frida.call(initUpload, { body: file }), isRefused);
  await frida.call(abortUpload, { params: { uploadId } });
  await frida.call(initUpload, { body: file });
});

test('bytes that have arrived are not counted twice', { skip: !filesAreOnDisk }, async (t) => {
  const { frida, setRoom } = await openWorld(t, 3 * FILE_BYTES);
  const bytes = makeBytes(FILE_BYTES);
  const { uploadId } = await announceFile(frida, 'a.bin', bytes);
  await sendChunks(frida, uploadId, bytes);
  setRoom(2 * FILE_BYTES);
  await frida.call(initUploads, { body: { files: [file, file] } });
  await assert.rejects(frida.call(initUpload, { body: describeFile('b', makeBytes(1)) }), isRefused);
});

test('uploads from a version that reserved nothing are counted', async (t) => {
  const { server, frida } = await openWorld(t, 2 * FILE_BYTES);
  await frida.call(initUpload, { body: file });
  await server.context.db.deleteFrom('diskReservations').execute();
  await frida.call(initUpload, { body: file });
  await assert.rejects(frida.call(initUpload, { body: file }), isRefused);
});
