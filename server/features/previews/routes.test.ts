import assert from 'node:assert/strict';
import test, { before, describe, type TestContext } from 'node:test';
import sharp from 'sharp';
import { verifyDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { countPdfPages, TEXT_PREVIEW_BYTES } from '../../../contracts/transfers/downloads/previews.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { live } from '../../../testing/live.ts';
import { createSeenTransfer, listSeen } from '../../../testing/storage/seen-files.ts';
import { filesAreOnDisk } from '../../../testing/storage/test-storage.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { makePdf, makePdfOfPages, makePicture } from '../../../testing/uploads/hostile-files.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import { PictureError } from '../../platform/images/picture-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob } from '../../platform/storage/write-blob.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const FILM = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42'), makeBytes(3_000)]);
let picture: Buffer;
before(async () => {
  picture = await makePicture('jpeg', { width: 3_000, height: 1_500 });
});

const listFiles = () => [
  { path: 'a photo.txt', bytes: picture, mimeType: 'text/html' },
  { path: 'plan.pdf', bytes: makePdf() },
  { path: 'film.mp4', bytes: FILM, mimeType: 'text/html' },
  { path: 'song.mp3', bytes: `ID3\x04${'x'.repeat(99)}` },
  { path: 'code.html', bytes: '<script>alert(1)</script>', mimeType: 'text/html' },
  { path: 'drawing.svg', bytes: SVG, mimeType: 'image/svg+xml' },
  {
    path: 'liar.png',
    bytes: Buffer.concat([Buffer.from('PK\x03\x04\0\0'), makeBytes(99)]),
    mimeType: 'image/png',
  },
];

const previewPath = (token: string, what: 'thumbnail' | 'preview', fileId: string) =>
  `/api/download/${token}/${what}/${fileId}`;

const countBlobs = async ({ context }: TestServer) => (await Array.fromAsync(context.blobs.list())).length;

test('recipients see scaled-down pictures, and other types unchanged', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
  });
  assert.deepEqual(await listSeen(server, token), {
    'a photo.txt': { preview: 'image', thumbnail: true },
    'plan.pdf': { preview: 'pdf', thumbnail: true },
    'film.mp4': { preview: 'video', thumbnail: false },
    'song.mp3': { preview: 'audio', thumbnail: false },
    'code.html': { preview: 'text', thumbnail: false },
    'drawing.svg': { preview: 'text', thumbnail: false },
    'liar.png': { preview: null, thumbnail: false },
  });
  const guest = server.anonymous();
  const types = [
    'image/webp',
    'image/webp',
    'video/mp4',
    'audio/mpeg',
    'text/plain; charset=utf-8',
    'text/plain; charset=utf-8',
  ];
  for (const [index, type] of types.entries()) {
    const response = await guest.fetch(previewPath(token, 'preview', files[index]!.id));
    const { headers } = response;
    assert.deepEqual([response.status, headers.get('content-type')], [200, type]);
    assert.match(headers.get('content-disposition')!, /^inline; /);
    assert.match(headers.get('content-security-policy')!, /^sandbox; default-src 'none'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('cache-control')!, /^private/);
    assert.match(headers.get('etag')!, /^"/);
    await response.body!.cancel();
  }
  assert.equal((await guest.fetch(previewPath(token, 'preview', files[6]!.id))).status, 404);
});

test('previews and thumbnails are bounded in size and revalidated by ETag', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
  });
  const guest = server.anonymous();
  for (const [what, width] of [
    ['thumbnail', 480],
    ['preview', 2048],
  ] as const) {
    const response = await guest.fetch(previewPath(token, what, files[0]!.id));
    const found = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    assert.deepEqual([found.format, found.width, found.height], ['webp', width, width / 2]);
    const headers = { 'if-none-match': response.headers.get('etag')! };
    assert.equal((await guest.fetch(previewPath(token, what, files[0]!.id), { headers })).status, 304);
  }
});

test('a preview is never counted as a download', async (t) => {
  const server = await startTestServer(t);
  const { id, token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
  });
  for (const { id: fileId } of files)
    for (const what of ['thumbnail', 'preview'] as const)
      await (await server.anonymous().fetch(previewPath(token, what, fileId))).arrayBuffer();
  const { db } = server.context;
  const found = await db
    .selectFrom('transfers')
    .select('downloadCount')
    .where('id', '=', id)
    .executeTakeFirst();
  assert.equal(found?.downloadCount, 0);
  assert.deepEqual(await db.selectFrom('downloads').select('id').execute(), []);
});

test('a video can be played from any position', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
  });
  const headers = { range: 'bytes=100-199' };
  const response = await server.anonymous().fetch(previewPath(token, 'preview', files[2]!.id), { headers });
  assert.equal(response.status, 206);
  assert.equal(response.headers.get('content-range'), `bytes 100-199/${FILM.length}`);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), FILM.subarray(100, 200));
});

test('the beginning of a text is shown in UTF-8, whatever its encoding', async (t) => {
  const server = await startTestServer(t);
  const long = 'Grüße\n'.repeat(200_000);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: [
      { path: 'long.txt', bytes: long },
      { path: 'latin.txt', bytes: Buffer.from('Grüße aus Köln', 'latin1') },
      { path: 'empty.txt', bytes: '' },
    ],
  });
  const read = async (index: number) => {
    const response = await server.anonymous().fetch(previewPath(token, 'preview', files[index]!.id));
    return response.status === 200 ? response.text() : response.status;
  };
  const shown = String(await read(0));
  assert.ok(long.startsWith(shown));
  assert.ok(Math.abs(Buffer.byteLength(shown) - TEXT_PREVIEW_BYTES) < 4);
  assert.equal(await read(1), 'Grüße aus Köln');
  assert.equal(await read(2), 404);
});

test('with a download limit only scaled-down pictures are shown, no whole files', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
    maxDownloads: 1,
  });
  const seen = await listSeen(server, token);
  const previews = Object.values(seen).map(({ preview }) => preview);
  assert.deepEqual(previews, ['image', 'pdf', null, null, null, null, null]);
  const statuses = [];
  for (const { id } of files) {
    const response = await server
      .anonymous()
      .fetch(previewPath(token, 'preview', id), { headers: { accept: 'application/json' } });
    statuses.push(response.status);
    if (response.status !== 200)
      assert.equal(((await response.json()) as { code: string }).code, 'no_preview');
    else await response.arrayBuffer();
  }
  assert.deepEqual(statuses, [200, 200, 404, 404, 404, 404, 404]);
});

describe('the pages of a PDF', () => {
  const BOXES = ['[0 0 300 200]', '[0 0 200 300]', ...Array(4).fill('[0 0 100 100]')];
  const files = [
    { path: 'plan.pdf', bytes: makePdfOfPages(BOXES) },
    { path: 'a.txt', bytes: 'Hello' },
  ];
  const startWithDocument = async (t: TestContext, settings: object = {}) => {
    const server = await startTestServer(t);
    const sample = { userId: server.userId('paula'), files, ...settings };
    const transfer = await createSeenTransfer(server, sample);
    const pagesPath = `${previewPath(transfer.token, 'preview', transfer.files[0]!.id)}/pages`;
    let drawn = 0;
    const { images } = server.context;
    const renderPages = images.renderPages.bind(images);
    images.renderPages = (request) => {
      drawn += 1;
      return renderPages(request);
    };
    return { server, transfer, pagesPath, countDrawn: () => drawn };
  };

  test('are shown to recipients, drawn once and never counted', async (t) => {
    const { server, transfer, pagesPath, countDrawn } = await startWithDocument(t);
    const guest = server.anonymous();
    const params = { token: transfer.token, fileId: transfer.files[0]!.id };
    const counts = await Promise.all([1, 2, 3].map(() => guest.call(countPdfPages, { params })));
    assert.deepEqual(counts, Array(3).fill({ pageCount: 6 }));
    const sizeOf = async (page: number) => {
      const response = await guest.fetch(`${pagesPath}/${page}`);
      const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.equal(response.headers.get('content-type'), 'image/webp');
      assert.match(response.headers.get('content-security-policy')!, /^sandbox; default-src 'none'/);
      return [format, width, height];
    };
    assert.deepEqual(await sizeOf(1), ['webp', 2048, 1365]);
    assert.deepEqual(await sizeOf(2), ['webp', 1365, 2048]);
    assert.deepEqual(await sizeOf(6), ['webp', 2048, 2048]);
    assert.deepEqual(await sizeOf(5), ['webp', 2048, 2048]);
    assert.equal(countDrawn(), 2, 'pages 1 to 4, and 5 to 6');
    const statusOf = async (path: string) => (await guest.fetch(path)).status;
    assert.equal(await statusOf(`${pagesPath}/7`), 404);
    assert.equal(await statusOf(`${pagesPath}/201`), 404);
    assert.equal(await statusOf(`${pagesPath}/0`), 404);
    const ofText = `${previewPath(transfer.token, 'preview', transfer.files[1]!.id)}/pages`;
    assert.equal(await statusOf(ofText), 404);
    assert.deepEqual(await server.context.db.selectFrom('downloads').select('id').execute(), []);
  });

  test('are not shown with a download limit, except to the owner', async (t) => {
    const { server, transfer, pagesPath, countDrawn } = await startWithDocument(t, { maxDownloads: 3 });
    const guest = server.anonymous();
    const params = { token: transfer.token, fileId: transfer.files[0]!.id };
    assert.deepEqual(await guest.call(countPdfPages, { params }), { pageCount: null });
    assert.equal((await guest.fetch(`${pagesPath}/1`)).status, 404);
    assert.equal(countDrawn(), 0);
    const own = `/api/transfers/${transfer.id}/files/${params.fileId}/preview/pages`;
    const paula = await server.signIn('paula');
    assert.deepEqual(await (await paula.fetch(own)).json(), { pageCount: 6 });
    assert.equal((await paula.fetch(`${own}/2`)).status, 200);
    const prem = await server.signIn('prem');
    assert.equal((await prem.fetch(own)).status, 404);
    assert.equal((await prem.fetch(`${own}/2`)).status, 404);
  });

  test('are not drawn again after they could not be drawn', onlyInAll, async (t) => {
    const { server, pagesPath, countDrawn } = await startWithDocument(t);
    const { images } = server.context;
    const { renderPages } = images;
    images.renderPages = async (request) => {
      await renderPages(request);
      throw new PictureError('refused', 'hostile');
    };
    const statuses = [];
    for (const page of [1, 2, 1])
      statuses.push((await server.anonymous().fetch(`${pagesPath}/${page}`)).status);
    assert.deepEqual(statuses, [404, 404, 404]);
    assert.equal(countDrawn(), 1);
  });

  test('are limited per address', async (t) => {
    const { server, pagesPath } = await startWithDocument(t);
    server.context.images.renderPages = async ({ pages: { first } }) => ({
      pageCount: 200,
      pages: [{ width: 1, height: 1, bytes: Buffer.from(String(first)) }],
    });
    const statuses = new Set<number>();
    for (let file = 0; file < 5 && !statuses.has(429); file += 1) {
      await server.context.db
        .updateTable('files')
        .set((eb) => ({ crc32: eb('crc32', '+', 1) }))
        .execute();
      for (let page = 1; page <= 200 && !statuses.has(429); page += 4)
        statuses.add((await server.anonymous().fetch(`${pagesPath}/${page}`)).status);
    }
    assert.deepEqual([...statuses], [200, 429]);
  });
});

test('previews pass the same gate as downloads', async (t) => {
  const server = await startTestServer(t);
  const now = server.clock.now();
  const sample = { userId: server.userId('paula'), files: [{ path: 'a.jpg', bytes: picture }] };
  const open = await createSeenTransfer(server, sample);
  const other = await createSeenTransfer(server, sample);
  const locked = await createReadyTransfer(server.context, { ...sample, password: 'open sesame' });
  const later = await createReadyTransfer(server.context, { ...sample, scheduledAvailableAt: now + HOUR_MS });
  const over = await createReadyTransfer(server.context, { ...sample, expiresAt: now - 1 });
  const guest = server.anonymous();
  const statusOf = async (token: string, fileId: string) =>
    Promise.all(
      (['thumbnail', 'preview'] as const).map(
        async (what) => (await guest.fetch(previewPath(token, what, fileId))).status,
      ),
    );
  assert.deepEqual(await statusOf(open.token, open.files[0]!.id), [200, 200]);
  assert.deepEqual(await statusOf(open.token, other.files[0]!.id), [404, 404]);
  assert.deepEqual(await statusOf('0'.repeat(26), open.files[0]!.id), [404, 404]);
  assert.deepEqual(await statusOf(locked.token, locked.files[0]!.id), [423, 423]);
  assert.deepEqual(await statusOf(later.token, later.files[0]!.id), [423, 423]);
  assert.deepEqual(await statusOf(over.token, over.files[0]!.id), [410, 410]);

  await guest.call(verifyDownload, { params: { token: locked.token }, body: { password: 'open sesame' } });
  await listSeenAs(guest, locked.token);
  await server.drainJobs();
  assert.deepEqual(await statusOf(locked.token, locked.files[0]!.id), [200, 200]);
});

async function listSeenAs(guest: ReturnType<TestServer['anonymous']>, token: string): Promise<void> {
  await (await guest.fetch(`/api/download/${token}`)).arrayBuffer();
}

test('previews depend on the sender’s current plan: free has none, and an upgrade adds them', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const userId = server.userId('frida');
  const { id, token, files } = await createSeenTransfer(server, { userId, files: listFiles() });
  const frida = await server.signIn('frida');
  const path = `/api/transfers/${id}/files/${files[0]!.id}/thumbnail`;
  assert.deepEqual(Object.values(await listSeen(server, token))[0], { preview: null, thumbnail: false });
  assert.equal((await server.anonymous().fetch(previewPath(token, 'thumbnail', files[0]!.id))).status, 404);
  assert.equal((await frida.fetch(path)).status, 402);
  assert.deepEqual(await db.selectFrom('filePreviews').selectAll().execute(), []);

  await db.updateTable('users').set({ tier: 'pro' }).where('id', '=', userId).execute();
  await frida.call(getTransfer, { params: { id } });
  await server.drainJobs();
  assert.deepEqual(Object.values(await listSeen(server, token))[0], { preview: 'image', thumbnail: true });
  assert.equal((await frida.fetch(path)).status, 200);

  await db.updateTable('users').set({ tier: 'free' }).where('id', '=', userId).execute();
  assert.deepEqual(Object.values(await listSeen(server, token))[0], { preview: null, thumbnail: false });
  assert.equal((await server.anonymous().fetch(previewPath(token, 'preview', files[2]!.id))).status, 404);
});

test('owners see previews of locked, scheduled, expired and limited transfers', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const now = server.clock.now();
  const sample = { userId: server.userId('paula'), files: listFiles(), maxDownloads: 1 };
  for (const state of [
    { password: 'open sesame' },
    { scheduledAvailableAt: now + DAY_MS },
    { expiresAt: now - 1 },
  ]) {
    const { id, files } = await createReadyTransfer(server.context, { ...sample, ...state });
    await paula.call(getTransfer, { params: { id } });
    await server.drainJobs();
    const detail = await paula.call(getTransfer, { params: { id } });
    assert.deepEqual(
      detail.files.map(({ preview, thumbnail }) => [preview, thumbnail]),
      [
        ['image', true],
        ['pdf', true],
        ['video', false],
        ['audio', false],
        ['text', false],
        ['text', false],
        [null, false],
      ],
    );
    const own = (what: string, index: number) => `/api/transfers/${id}/files/${files[index]!.id}/${what}`;
    assert.equal((await paula.fetch(own('thumbnail', 0))).status, 200);
    assert.equal((await paula.fetch(own('preview', 2))).status, 200);
    assert.equal((await paula.fetch(own('thumbnail', 2))).status, 404);
    const prem = await server.signIn('prem');
    assert.equal((await prem.fetch(own('thumbnail', 0))).status, 404);
    assert.equal((await server.anonymous().fetch(own('preview', 0))).status, 401);
  }
});

test('a damaged file has no preview', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
  });
  const { db } = server.context;
  await db.updateTable('files').set({ damagedAt: 1 }).where('id', '=', files[0]!.id).execute();
  assert.deepEqual((await listSeen(server, token))['a photo.txt'], { preview: null, thumbnail: false });
  assert.equal((await server.anonymous().fetch(previewPath(token, 'thumbnail', files[0]!.id))).status, 404);
});

test('pictures are kept with their transfer and deleted with it', async (t) => {
  const server = await startTestServer(t);
  // Blob ages come from the file system's clock, so set the test clock to it.
  server.clock.advance(Date.now() - server.clock.now());
  const before = await countBlobs(server);
  const { id } = await createSeenTransfer(server, {
    userId: server.userId('paula'),
    files: listFiles(),
    expiresAt: server.clock.now() + 30 * DAY_MS,
  });
  const kept = before + (filesAreOnDisk ? 1 : listFiles().length) + 4;
  assert.equal(await countBlobs(server), kept, 'a pack, and two pictures for each of two files');
  const { db } = server.context;
  await writeBlob(server.context.blobs, randomId(), Buffer.from('nobody names it'));
  await live(server, 26 * HOUR_MS);
  assert.equal(await countBlobs(server), kept, 'the sweep removed only the blob without a row');
  const paula = await server.signIn('paula');
  assert.equal((await paula.fetch(`/api/transfers/${id}`, { method: 'DELETE' })).status, 204);
  await server.drainJobs();
  assert.equal(await countBlobs(server), before);
  assert.deepEqual(await db.selectFrom('fileThumbnails').selectAll().execute(), []);
  assert.deepEqual(await db.selectFrom('filePreviews').selectAll().execute(), []);
});
