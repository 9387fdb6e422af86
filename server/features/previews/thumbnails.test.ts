import assert from 'node:assert/strict';
import test, { describe, type TestContext } from 'node:test';
import type { CastName } from '../../../testing/cast.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { onceUnlessAll } from '../../../testing/lib/only-in-all.ts';
import { createSeenTransfer, listSeen } from '../../../testing/storage/seen-files.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { makeHostileFiles, makeOddFiles, makePicture } from '../../../testing/uploads/hostile-files.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { uploadFile } from '../../../testing/uploads/upload-files.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { PictureError, type PictureFault } from '../../platform/images/picture-error.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { detectFilesJob, enqueueFileDetection } from './file-detection.ts';
import { claimWaiting, updateState } from './queries.ts';

const NEVER = new AbortController().signal;

/** Makes rendering fail with the result of `fail`; returns a counter of attempts. */
function failRendering(t: TestContext, { context }: TestServer, fail: () => Error) {
  const mocked = t.mock.method(context.images, 'render', async () => {
    throw fail();
  });
  return () => mocked.mock.callCount();
}

async function createWithPicture(server: TestServer) {
  const files = [{ path: 'a.png', bytes: await makePicture('png', { width: 20, height: 20 }) }];
  return createReadyTransfer(server.context, { userId: server.userId('paula'), files });
}

async function enqueueDetection(server: TestServer, transferId: string): Promise<void> {
  await transaction(server.context.db, (trx) =>
    enqueueFileDetection(trx, { owner: { tier: 'pro' }, transferId }),
  );
}

async function readState({ context }: TestServer) {
  const { db } = context;
  return { ...(await db.selectFrom('filePreviews').select(['state', 'attempts']).executeTakeFirstOrThrow()) };
}

test('files are detected once their transfer is ready, and so are files added later', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const bytes = await makePicture('png', { width: 600, height: 600 });
  const { id, token } = await sendTransfer(paula, [
    { fileName: 'a.png', bytes },
    { fileName: 'b.txt', bytes: Buffer.from('b') },
  ]);
  await server.drainJobs();
  assert.deepEqual(await listSeen(server, token), {
    'a.png': { preview: 'image', thumbnail: true },
    'b.txt': { preview: 'text', thumbnail: false },
  });
  await uploadFile(paula, 'c.png', bytes, { transferId: id });
  await server.drainJobs();
  assert.deepEqual((await listSeen(server, token))['c.png'], { preview: 'image', thumbnail: true });
});

test('files of free senders are not detected', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await sendTransfer(frida, [{ fileName: 'a.png', bytes: await makePicture('png') }]);
  await server.drainJobs();
  assert.deepEqual(await server.context.db.selectFrom('filePreviews').selectAll().execute(), []);
});

const FAULTS: [PictureFault, number][] = [
  ['refused', 1],
  ['unsupported', 1],
  ['killed', 2],
];
for (const [fault, tries] of FAULTS) {
  test(`a file whose rendering is ${fault} is tried ${tries === 1 ? 'once' : 'twice'} and never again`, async (t) => {
    const server = await startTestServer(t);
    const countCalls = failRendering(t, server, () => new PictureError(fault, 'no'));
    const { id } = await createWithPicture(server);
    for (let round = 0; round < 3; round += 1) {
      await enqueueDetection(server, id);
      await server.drainJobs();
    }
    assert.equal(countCalls(), tries);
    assert.deepEqual(await readState(server), { state: 'failed', attempts: tries });
    assert.deepEqual(
      await server.context.db.selectFrom('jobs').select('id').where('name', '=', 'render-pictures').execute(),
      [],
    );
  });
}

test('a file that crashed the server twice is not tried again', async (t) => {
  const server = await startTestServer(t);
  const countCalls = failRendering(t, server, () => new PictureError('refused', 'no'));
  const { id, files } = await createWithPicture(server);
  const row = { fileId: files[0]!.id, kind: 'image', mimeType: 'image/png', rank: 0, createdAt: 0 } as const;
  await server.context.db
    .insertInto('filePreviews')
    .values({ ...row, state: 'waiting', attempts: 2 })
    .execute();
  await enqueueDetection(server, id);
  await server.drainJobs();
  assert.equal(countCalls(), 0);
});

test('a full disk or unreachable storage is not the file’s fault', async (t) => {
  const server = await startTestServer(t);
  const errors = [
    new AppError('unavailable'),
    new AppError('storage_full'),
    Object.assign(new Error('no space'), { code: 'ENOSPC' }),
  ];
  const { token, id } = await createWithPicture(server);
  const countCalls = failRendering(t, server, () => errors.pop()!);
  await enqueueDetection(server, id);
  for (let round = 0; round < 3; round += 1) {
    await server.drainJobs();
    assert.deepEqual(await readState(server), { state: 'waiting', attempts: 0 });
    server.clock.advance(60_000);
  }
  assert.equal(countCalls(), 3);
  t.mock.restoreAll();
  await server.drainJobs();
  assert.deepEqual(await listSeen(server, token), { 'a.png': { preview: 'image', thumbnail: true } });
});

test('a picture rendered while its transfer is deleted leaves nothing behind', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createWithPicture(server);
  const { db, blobs, images } = server.context;
  const render = images.render.bind(images);
  t.mock.method(images, 'render', async (request: Parameters<typeof render>[0]) => {
    const pictures = await render(request);
    await db.updateTable('transfers').set({ status: 'deleting' }).where('id', '=', id).execute();
    return pictures;
  });
  await enqueueDetection(server, id);
  await server.drainJobs();
  assert.deepEqual(await db.selectFrom('fileThumbnails').selectAll().execute(), []);
  assert.equal((await Array.fromAsync(blobs.list())).length, 1);
});

test('two processes rendering the same file keep one pair of pictures', async (t) => {
  const server = await startTestServer(t);
  const { id, token } = await createWithPicture(server);
  const { db, blobs, images } = server.context;
  const render = images.render.bind(images);
  let rival: Promise<unknown> | undefined;
  t.mock.method(images, 'render', async (request: Parameters<typeof render>[0]) => {
    const pictures = await render(request);
    // Its lease expired, and another process took over the job.
    await db.deleteFrom('jobs').where('name', '=', 'render-pictures').execute();
    if (!rival) {
      rival = Promise.resolve();
      const { renderPicturesJob } = await import('./thumbnails.ts');
      await renderPicturesJob.run(server.context, {}, { attempt: 1, signal: new AbortController().signal });
    }
    return pictures;
  });
  await enqueueDetection(server, id);
  await server.drainJobs();
  assert.equal((await Array.fromAsync(blobs.list())).length, 3);
  assert.deepEqual(await listSeen(server, token), { 'a.png': { preview: 'image', thumbnail: true } });
});

describe('the queue for pictures', () => {
  /** Creates ready transfers of one owner and detects their files without rendering them. */
  async function sendMany(server: TestServer, name: CastName, transfers: number, filesEach: number) {
    const bytes = await makePicture('png', { width: 8, height: 8 });
    const ids = [];
    for (let index = 0; index < transfers; index += 1) {
      const files = Array.from({ length: filesEach }, (_, file) => ({ path: `${file}.png`, bytes }));
      const { id } = await createReadyTransfer(server.context, { userId: server.userId(name), files });
      await detectFilesJob.run(server.context, { transferId: id }, { attempt: 1, signal: NEVER });
      ids.push(id);
    }
    return ids;
  }

  /** Claims all files and returns their transfers in that order. */
  async function claimAll({ context: { db } }: TestServer): Promise<string[]> {
    const transfers = [];
    for (;;) {
      const claimed = await claimWaiting(db);
      if (!claimed) return transfers;
      await updateState(db, claimed.fileId, 'done');
      const { transferId } = await db
        .selectFrom('files')
        .select('transferId')
        .where('id', '=', claimed.fileId)
        .executeTakeFirstOrThrow();
      transfers.push(transferId);
    }
  }

  test('an owner with many transfers does not delay another owner', async (t) => {
    const server = await startTestServer(t);
    await sendMany(server, 'paula', 30, 1);
    const [other] = await sendMany(server, 'prem', 1, 3);
    const order = await claimAll(server);
    assert.equal(order.length, 33);
    const places = order.flatMap((id, index) => (id === other ? [index] : []));
    assert.ok(places.at(-1)! <= 6, `places ${places}`);
  });

  test('a long transfer delays neither another owner nor the owner’s next transfer', async (t) => {
    const server = await startTestServer(t);
    const [long] = await sendMany(server, 'paula', 1, 40);
    const [next] = await sendMany(server, 'paula', 1, 3);
    const [other] = await sendMany(server, 'prem', 1, 3);
    const order = await claimAll(server);
    assert.equal(order.filter((id) => id === long).length, 40);
    assert.ok(order.lastIndexOf(next!) <= 15, `own: ${order.lastIndexOf(next!)}`);
    assert.ok(order.lastIndexOf(other!) <= 9, `other: ${order.lastIndexOf(other!)}`);
  });

  test('a new owner is served at once after others were served a lot', async (t) => {
    const server = await startTestServer(t);
    await sendMany(server, 'paula', 20, 1);
    for (let served = 0; served < 10; served += 1) {
      const { fileId } = (await claimWaiting(server.context.db))!;
      await updateState(server.context.db, fileId, 'done');
    }
    const [other] = await sendMany(server, 'prem', 1, 1);
    assert.ok((await claimAll(server)).indexOf(other!) <= 1);
  });
});

test('hostile files get no picture, and the files after them do', onceUnlessAll, async (t) => {
  const server = await startTestServer(t);
  const hostile = await makeHostileFiles();
  const odd = await makeOddFiles();
  const { token } = await createSeenTransfer(server, {
    userId: server.userId('prem'),
    files: [...hostile, ...odd].map(({ name, bytes }) => ({ path: name, bytes, mimeType: 'image/png' })),
  });
  const seen = await listSeen(server, token);
  for (const { name } of hostile) assert.equal(seen[name]!.thumbnail, false, name);
  for (const { name } of odd) assert.equal(seen[name]!.thumbnail, true, name);
  const previews = hostile.map(({ name }) => seen[name]!.preview).filter((preview) => preview !== null);
  assert.deepEqual(previews, ['text', 'text', 'text'], 'HTML and SVG are shown as text');
});
