import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { ERRORS } from '../../../../contracts/errors.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import { getTransfer, listTransferFiles } from '../../../../contracts/transfers/transfers.ts';
import { completeUploads, initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import {
  checksumsPath,
  plainSharePath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { FILES_PER_PAGE, readNextCursor } from '../../../../contracts/values/paging.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { fetchFilesPage, listAllFiles } from '../../../../testing/analytics/file-pages.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { countReadRows } from '../../../../testing/databases/read-rows.ts';
import { onceUnlessAll } from '../../../../testing/lib/only-in-all.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { appendManyFiles, seedManyFiles } from '../../../../testing/uploads/many-files.ts';

const MANY = 100_000;
/** A page of rows plus the transfer, its owner and counters. */
const ROWS_PER_REQUEST = FILES_PER_PAGE + 20;

const hash = (bytes: ArrayBuffer) => createHash('sha256').update(Buffer.from(bytes)).digest('hex');

async function setSums({ context: { db } }: TestServer): Promise<void> {
  await db
    .updateTable('files')
    .set({ sha256: 'a'.repeat(64), checkedAt: 1 })
    .execute();
}

async function get(client: Client, path: string, init?: RequestInit) {
  const response = await client.fetch(path, init);
  return { response, body: await response.text() };
}

test('zips of many files keep their tag and bytes, and those of earlier releases also their former tag', async (t) => {
  const server = await startTestServer(t);
  const guest = server.anonymous();
  const userId = server.userId('frida');
  const empty = await seedManyFiles(server.context, { userId, count: 3_000, id: 'e'.repeat(26) });
  const whole = await guest.fetch(zipDownloadPath(empty.token));
  assert.equal(whole.headers.get('etag'), '"zip-G3N1pvg-1Qkcw9QTE_G6Ea41pRb"');
  assert.equal(whole.headers.get('last-modified'), 'Sun, 01 Mar 2026 12:30:12 GMT');
  assert.equal(
    hash(await whole.arrayBuffer()),
    '390d2c0fa84955bdd38cd04364c3c0b9172221c512ee9fdd2afa49c308c6198a',
  );

  await setSums(server);
  const sums = await guest.fetch(checksumsPath(empty.token));
  assert.equal(
    hash(await sums.arrayBuffer()),
    '99c78d3354cdbf87fb247f3cec915b4181ebaa4da1f5bc84d64e214553cf9a43',
  );

  const large = { userId, count: 3_000, id: 'l'.repeat(26), sizeBytes: 2 * MIB };
  const path = zipDownloadPath((await seedManyFiles(server.context, large)).token);
  for (const round of ['planned', 'from the stored summary']) {
    const head = await guest.fetch(path, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), '6291828566', round);
    assert.equal(head.headers.get('etag'), '"zip-Rae518oGNxVzMOxV1HODJQGUSbS"', round);
    const headers = { 'if-none-match': '"zip-SMX1w3sWxb78XiFzQv3740Prcol"' };
    assert.equal((await guest.fetch(path, { method: 'HEAD', headers })).status, 304, round);
  }
  const directory = await guest.fetch(path, { headers: { range: 'bytes=-150000' } });
  assert.equal(directory.status, 206);
  assert.equal(
    hash(await directory.arrayBuffer()),
    '30e2ff5cd22393504f5221c401bc6d0d0898fc616bf2e998ba97f10fbb4668a8',
  );
});

test(
  '100,000 files: no request reads or returns more than a page, and the zip is planned once',
  onceUnlessAll,
  async (t) => {
    const server = await startTestServer(t);
    const userId = server.userId('paula');
    const { id, token } = await seedManyFiles(server.context, { userId, count: MANY });
    await setSums(server);
    const paula = await server.signIn('paula');
    const guest = server.anonymous();
    const rows = countReadRows(server.context.db);

    const zip = zipDownloadPath(token);
    const heads = await Promise.all(Array.from({ length: 10 }, () => get(guest, zip, { method: 'HEAD' })));
    const planning = rows.take();
    assert.ok(planning < MANY + 500, `ten requests at once read ${planning} rows`);
    const [length] = heads.map(({ response }) => Number(response.headers.get('content-length')));
    assert.equal(new Set(heads.map(({ response }) => response.headers.get('etag'))).size, 1);

    const requests: [string, Client, string, RequestInit?][] = [
      ['view', guest, `/api/download/${token}`],
      ['page', guest, `/api/download/${token}/files`],
      ['detail', paula, `/api/transfers/${id}`],
      ['page of the detail', paula, `/api/transfers/${id}/files`],
      ['plain page', guest, plainSharePath(token)],
      ['HEAD of the zip', guest, zip, { method: 'HEAD' }],
      ['end of the zip', guest, zip, { headers: { range: 'bytes=-22' } }],
      ['HEAD of the checksums', guest, checksumsPath(token), { method: 'HEAD' }],
    ];
    for (const [name, client, path, init] of requests) {
      rows.take();
      const { response, body } = await get(client, path, init);
      assert.ok(response.ok, `${name}: ${response.status} ${body}`);
      const read = rows.take();
      assert.ok(read <= ROWS_PER_REQUEST, `${name} read ${read} rows`);
      assert.ok(body.length < 512 * KIB, `${name} is ${body.length} bytes`);
    }
    const view = await guest.call(viewDownload, { params: { token } });
    assert.equal(view.zipSize, length);

    rows.take();
    const stop = new AbortController();
    const sums = await guest.fetch(checksumsPath(token), { signal: stop.signal });
    const { value } = await sums.body!.getReader().read();
    assert.match(Buffer.from(value!).toString(), /^a{64} {2}folder-0\/file-0\.bin\n/);
    stop.abort();
    const read = rows.take();
    assert.ok(read < 0.5 * MANY, `the beginning of the checksums read ${read} rows`);
  },
);

test('following the pages yields each file once, even while files are added', async (t) => {
  const server = await startTestServer(t);
  const count = 2 * FILES_PER_PAGE + 500;
  const { id, token } = await seedManyFiles(server.context, { userId: server.userId('paula'), count });
  const guest = server.anonymous();
  const listed = await listAllFiles(guest, token);
  assert.deepEqual(
    listed.map(({ position }) => position),
    Array.from({ length: count }, (_, position) => position),
  );

  const join = async (from: number, files: number) => {
    await appendManyFiles(server.context, { id, from, count: files });
    await server.context.db
      .updateTable('transfers')
      .set({ fileCount: from + files })
      .execute();
  };
  const view = await guest.call(viewDownload, { params: { token } });
  const seen = view.files!.map(({ position }) => position);
  for (let next = view.nextFiles ?? undefined, from = count; next; from += 700) {
    const { items, nextCursor } = await fetchFilesPage(guest, token, next);
    seen.push(...items.map(({ position }) => position));
    if (from < count + 2_000) await join(from, 700);
    next = nextCursor;
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  assert.ok(seen.length > count);
});

test('the owner can page on from the transfer’s details, and an unknown cursor is refused', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { id, token } = await seedManyFiles(server.context, { userId, count: FILES_PER_PAGE + 1 });
  const paula = await server.signIn('paula');
  const detail = await paula.call(getTransfer, { params: { id } });
  assert.equal(detail.files.length, FILES_PER_PAGE);
  const path = listTransferFiles.path.replace(':id', id);
  const rest = await paula.fetch(`${path}?cursor=${detail.nextFiles}`);
  const files = listTransferFiles.response.parse(await rest.json());
  assert.deepEqual(
    files.map(({ position }) => position),
    [FILES_PER_PAGE],
  );
  assert.equal(readNextCursor(rest.headers.get('link')), undefined);
  for (const cursor of ['x', 'bmV3ZXN0'])
    for (const [client, base] of [
      [paula, path],
      [server.anonymous(), `/api/download/${token}/files`],
    ] as const)
      assert.equal((await client.fetch(`${base}?cursor=${cursor}`)).status, 400);
  const far = Buffer.from(`position.${'a'.repeat(26)}.9007199254740991`).toString('base64url');
  assert.equal(await (await paula.fetch(`${path}?cursor=${far}`)).text(), '[]');
  const others = await server.signIn('frida');
  assert.equal((await others.fetch(path)).status, 404);
});

test('a page asks for fewer files at first, and the rest follows', async (t) => {
  const server = await startTestServer(t);
  const [guest, frida] = [server.anonymous(), await server.signIn('frida')];
  for (const count of [300, 1_500]) {
    const id = String(count).padEnd(26, 'f');
    const { token } = await seedManyFiles(server.context, { userId: server.userId('frida'), count, id });
    const whole = await guest.call(viewDownload, { params: { token } });
    const query = { firstFiles: 200 };
    for (const round of ['first', 'second']) {
      const view = await guest.call(viewDownload, { params: { token }, query });
      assert.deepEqual(view.files, whole.files?.slice(0, 200), round);
      assert.deepEqual([view.zipSize, view.fileCount], [whole.zipSize, count]);
      const rest = await fetchFilesPage(guest, token, view.nextFiles!);
      assert.equal(rest.items.length, Math.min(FILES_PER_PAGE, count - 200));
    }
    const detail = await frida.call(getTransfer, { params: { id }, query });
    assert.equal(detail.files.length, 200);
    const more = await frida.call(listTransferFiles, {
      params: { id },
      query: { cursor: detail.nextFiles! },
    });
    assert.equal(more[0]?.position, 200);
  }
  const { status } = await guest.fetch(`/api/download/${'300'.padEnd(26, 'f')}?firstFiles=many`);
  assert.equal(status, 200);
});

test('gaps in positions leave no gaps in the pages', async (t) => {
  const server = await startTestServer(t);
  const count = 3 * FILES_PER_PAGE;
  const { id, token } = await seedManyFiles(server.context, { userId: server.userId('paula'), count });
  const { db } = server.context;
  await db.deleteFrom('files').where('position', '>', 500).where('position', '<', 2_700).execute();
  await db.updateTable('files').set({ position: 2_000_000 }).where('position', '=', 2_999).execute();
  await appendManyFiles(server.context, { id, from: 5_000, count: 1_500 });
  const positions = (await listAllFiles(server.anonymous(), token)).map(({ position }) => position);
  const stored = await db.selectFrom('files').select('position').orderBy('position').execute();
  assert.deepEqual(
    positions,
    stored.map(({ position }) => position),
  );
  const zip = Buffer.from(await (await server.anonymous().fetch(zipDownloadPath(token))).arrayBuffer());
  assert.equal(zip.readUInt16LE(zip.length - 12), positions.length);
});

test('a transfer with exactly one page of files has no second page', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { token } = await seedManyFiles(server.context, { userId, count: FILES_PER_PAGE });
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  assert.deepEqual([view.files!.length, view.nextFiles], [FILES_PER_PAGE, null]);
});

test('further pages pass the same gate as bytes and don’t count as views', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { id, token } = await seedManyFiles(server.context, { userId, count: 3, maxDownloads: 1 });
  const path = `/api/download/${token}/files`;
  const statusOf = async () => (await server.anonymous().fetch(path)).status;
  const change = (columns: object) =>
    server.context.db.updateTable('transfers').set(columns).where('id', '=', id).execute();
  assert.equal(await statusOf(), 200);
  await change({ downloadCount: 1 });
  assert.equal(await statusOf(), 200, 'a used-up transfer still lists its files');
  await change({ passwordHash: 'x' });
  assert.equal(await statusOf(), 423);
  await change({ passwordHash: null, scheduledAvailableAt: server.clock.now() + 1_000 });
  assert.equal(await statusOf(), 423);
  await change({ scheduledAvailableAt: null, expiresAt: server.clock.now() - 1 });
  assert.equal(await statusOf(), 410);
  await change({ expiresAt: server.clock.now() + 1_000, takenDownAt: 1 });
  assert.equal(await statusOf(), ERRORS.transfer_taken_down.status);
  assert.equal((await server.anonymous().fetch(path.replace(token, 'z'.repeat(26)))).status, 404);
  const views = await server.context.db.selectFrom('transferViews').select('id').execute();
  assert.deepEqual(views, []);
});

test('added files change the size and tag of the zip, which are computed again', async (t) => {
  const server = await startTestServer(t);
  const count = FILES_PER_PAGE + 1;
  const userId = server.userId('paula');
  const { id, token } = await seedManyFiles(server.context, { userId, count });
  const guest = server.anonymous();
  const headOf = async () => {
    const { response } = await get(guest, zipDownloadPath(token), { method: 'HEAD' });
    return [response.headers.get('etag'), Number(response.headers.get('content-length'))] as const;
  };
  const before = await headOf();
  await appendManyFiles(server.context, { id, from: count, count: 1 });
  await server.context.db
    .updateTable('transfers')
    .set({ fileCount: count + 1 })
    .execute();
  const after = await headOf();
  assert.notEqual(after[0], before[0]);
  assert.ok(after[1] > before[1]);
  const whole = await (await guest.fetch(zipDownloadPath(token))).arrayBuffer();
  assert.equal(whole.byteLength, after[1]);
  const view = await guest.call(viewDownload, { params: { token } });
  assert.equal(view.zipSize, after[1]);
});

test('the zip of a long list is measured when the upload is complete', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const fileCount = FILES_PER_PAGE + 1;
  let transferId: string | undefined;
  for (const size of [FILES_PER_PAGE, 1]) {
    const files = Array.from({ length: size }, (_, index) => ({
      fileName: `${index}.txt`,
      fileSize: 0,
      totalChunks: 0,
    }));
    const announced = await paula.call(initUploads, { body: { files, ...(transferId && { transferId }) } });
    transferId = announced.transferId;
    const uploadIds = announced.uploads.map(({ uploadId }) => uploadId);
    await paula.call(completeUploads, { body: { transferId, uploadIds, fileCount } });
  }
  await server.drainJobs();
  const row = await server.context.db
    .selectFrom('transfers')
    .select(['token', 'zipSummary'])
    .executeTakeFirstOrThrow();
  const summary = JSON.parse(row.zipSummary!);
  assert.equal(summary.fileCount, fileCount);
  const { response } = await get(server.anonymous(), zipDownloadPath(row.token), { method: 'HEAD' });
  assert.equal(response.headers.get('etag'), summary.etag);
  assert.equal(response.headers.get('content-length'), String(summary.sizeBytes));
});

test('a selection of thousands is read in pages, and one missing file refuses it', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { token } = await seedManyFiles(server.context, { userId, count: 10_000 });
  const guest = server.anonymous();
  const rows = countReadRows(server.context.db);
  const few = await get(guest, selectionDownloadPath(token, encodeSelection([3, 9_999])));
  assert.equal(few.response.status, 200);
  assert.ok(rows.take() < 50);
  const odd = Array.from({ length: 5_000 }, (_, index) => 2 * index + 1);
  const many = await guest.fetch(selectionDownloadPath(token, encodeSelection(odd)));
  const bytes = Buffer.from(await many.arrayBuffer());
  assert.equal(bytes.readUInt16LE(bytes.length - 12), 5_000);
  const missing = await guest.fetch(selectionDownloadPath(token, encodeSelection([...odd, 10_000])));
  assert.equal(missing.status, 404);
});

test('an address that keeps reading long lists is rate-limited', onceUnlessAll, async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { token } = await seedManyFiles(server.context, { userId, count: FILES_PER_PAGE + 1 });
  const short = await seedManyFiles(server.context, { userId, count: 2, id: 's'.repeat(26) });
  await setSums(server);
  const guest = server.anonymous();
  for (let tries = 0; tries < 100; tries += 1) await get(guest, checksumsPath(token));
  const refused = await get(guest, checksumsPath(token));
  assert.equal(refused.response.status, 429);
  assert.ok(Number(refused.response.headers.get('retry-after')) > 0);
  assert.equal((await get(guest, checksumsPath(short.token))).response.status, 200);
  assert.equal((await get(guest, `/api/download/${token}`)).response.status, 200);
});

test('a browser without scripts can page through the files, and only the first page counts as a view', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const { token } = await seedManyFiles(server.context, { userId, count: 2 * FILES_PER_PAGE + 1 });
  const guest = server.anonymous();
  const shown: number[] = [];
  let path: string | undefined = plainSharePath(token);
  for (let page = 1; path; page += 1) {
    const { body } = await get(guest, path);
    shown.push(body.split('<li>').length - 1);
    assert.match(body, /of 2,001 files/);
    assert.equal(body.includes('>First files<'), page > 1);
    path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  }
  assert.deepEqual(shown, [FILES_PER_PAGE, FILES_PER_PAGE, 1]);
});
