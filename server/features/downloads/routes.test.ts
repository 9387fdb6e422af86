import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../client/api-error.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  plainSharePath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { filesAreOnDisk } from '../../../testing/storage/test-storage.ts';
import { startTestServer } from '../../../testing/test-context.ts';

const FILES = [
  { path: 'notes/a.txt', bytes: 'hello world', mimeType: 'text/plain; charset=\u2603' },
  { path: 'b.bin', bytes: Buffer.alloc(3_000, 9) },
];
const UNKNOWN = '0'.repeat(26);

test('a recipient sees the transfer and none of the sender’s data', async (t) => {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    title: 'Plans',
    message: 'Have a look',
    recipientEmails: ['rex@example.org'],
    maxDownloads: 9,
  });
  const view = await server.anonymous().call(viewDownload, { params: { token: transfer.token } });
  assert.equal(view.title, 'Plans');
  assert.equal(view.message, 'Have a look');
  assert.equal(view.isExpired, false);
  assert.equal(view.isPasswordProtected, false);
  assert.deepEqual([view.downloadCount, view.maxDownloads, view.fileCount, view.totalSize], [0, 9, 2, 3_011]);
  assert.deepEqual(
    view.files?.map(({ relativePath, originalName, size }) => [relativePath, originalName, size]),
    [
      ['notes/a.txt', 'a.txt', 11],
      ['b.bin', 'b.bin', 3_000],
    ],
  );
  const raw = await (await server.anonymous().fetch(`/api/download/${transfer.token}`)).text();
  for (const secret of ['rex@example.org', transfer.id, 'paula', 'storageKey', transfer.files[0]!.storageKey])
    assert.ok(!raw.includes(secret), `the view shows ${secret}`);
});

test('the sender and the names of files show with the files only', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const view = async (settings: Partial<Parameters<typeof createReadyTransfer>[1]>) => {
    const { token } = await createReadyTransfer(server.context, { userId, files: FILES, ...settings });
    const guest = server.anonymous();
    const text = await (await guest.fetch(`/api/download/${token}`)).text();
    const plain = await (await guest.fetch(plainSharePath(token))).text();
    const { senderName, firstFileName } = await guest.call(viewDownload, { params: { token } });
    const isNamed = [text, plain].map((each) => each.includes('Paula Pro') || each.includes('a.txt'));
    return { senderName, firstFileName, isNamed };
  };
  assert.deepEqual(await view({}), {
    senderName: 'Paula Pro',
    firstFileName: 'a.txt',
    isNamed: [true, true],
  });
  const titled = await view({ title: 'Plans' });
  assert.deepEqual([titled.senderName, titled.firstFileName], ['Paula Pro', null]);
  const silent = { senderName: undefined, firstFileName: undefined, isNamed: [false, false] };
  const now = server.clock.now();
  assert.deepEqual(await view({ password: 'sesame' }), silent);
  assert.deepEqual(await view({ scheduledAvailableAt: now + DAY_MS }), silent);
  assert.deepEqual(await view({ expiresAt: now - DAY_MS }), silent);
});

test('a zip is named like its transfer', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('paula');
  const nameOf = async (title?: string) => {
    const transfer = { userId, files: FILES, ...(title && { title }) };
    const { token } = await createReadyTransfer(server.context, transfer);
    const { headers } = await server.anonymous().fetch(zipDownloadPath(token), { method: 'HEAD' });
    return /filename="([^"]+)"/.exec(headers.get('content-disposition')!)?.[1];
  };
  assert.equal(await nameOf('Plans'), 'Plans.zip');
  assert.equal(await nameOf(), 'a.txt + 1.zip');
});

test('the exact zip size is shown for several files and not for one', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('frida');
  const several = await createReadyTransfer(server.context, { userId, files: FILES });
  const one = await createReadyTransfer(server.context, { userId, files: FILES.slice(0, 1) });
  const guest = server.anonymous();
  const view = await guest.call(viewDownload, { params: { token: several.token } });
  const zip = await guest.fetch(zipDownloadPath(several.token));
  assert.equal((await zip.arrayBuffer()).byteLength, view.zipSize);
  assert.equal((await guest.call(viewDownload, { params: { token: one.token } })).zipSize, undefined);
});

test('a file is sent whole, as an attachment that browsers do not execute', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
  });
  const response = await server.anonymous().fetch(fileDownloadPath(token, files[0]!.id));
  assert.equal(response.status, 200);
  assert.equal(await response.text(), 'hello world');
  const header = (name: string) => response.headers.get(name);
  assert.equal(header('content-type'), 'text/plain');
  assert.equal(header('content-length'), '11');
  assert.equal(header('accept-ranges'), 'bytes');
  assert.match(header('etag')!, /^"[^"]+"$/);
  assert.equal(header('last-modified'), 'Sun, 15 Nov 2026 12:00:00 GMT');
  assert.match(header('content-disposition')!, /^attachment; filename="a\.txt"/);
  assert.equal(header('x-content-type-options'), 'nosniff');
  assert.equal(header('content-security-policy'), 'sandbox');
});

test('an empty file can be downloaded although nothing is stored', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'empty.txt', bytes: '' }],
  });
  const response = await server.anonymous().fetch(fileDownloadPath(token, files[0]!.id));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-length'), '0');
  assert.equal(await response.text(), '');
});

test('hostile names cannot break the headers', async (t) => {
  const server = await startTestServer(t);
  const names = [
    'a"b\r\nset-cookie: x=1.txt',
    '🦊 ö % \\ /',
    'тест'.repeat(60),
    '\u202egnp.exe',
    '"; x="',
    'lone \ud800',
  ];
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    title: 'x\r\nset-cookie: y=1 \u202e "🦊',
    files: names.map((path, index) => ({ path: `${index}`, bytes: path, mimeType: 'text/html;\r\nx: y' })),
  });
  for (const [index, originalName] of names.entries()) {
    await server.context.db
      .updateTable('files')
      .set({ originalName: originalName.toWellFormed() })
      .where('id', '=', files[index]!.id)
      .execute();
  }
  const guest = server.anonymous();
  for (const path of [...files.map(({ id }) => fileDownloadPath(token, id)), zipDownloadPath(token)]) {
    const response = await guest.fetch(path);
    assert.equal(response.status, 200, path);
    assert.match(
      response.headers.get('content-disposition')!,
      /^attachment; filename="[ !#-~]+"; filename\*=UTF-8''[\w%.~!#$&+^`|-]+$/,
    );
    assert.ok(response.headers.getSetCookie().every((cookie) => cookie.startsWith('download-ticket=')));
    await response.arrayBuffer();
  }
});

test('missing transfers and files have their own not-found errors', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('frida');
  const mine = await createReadyTransfer(server.context, { userId, files: FILES });
  const other = await createReadyTransfer(server.context, { userId, files: FILES });
  const guest = server.anonymous();
  const codeOf = async (path: string) => {
    const response = await guest.fetch(path, { headers: { accept: 'application/json' } });
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  assert.deepEqual(await codeOf(`/api/download/${UNKNOWN}`), [404, 'transfer_not_found']);
  assert.deepEqual(await codeOf(zipDownloadPath(UNKNOWN)), [404, 'transfer_not_found']);
  assert.deepEqual(await codeOf(fileDownloadPath(UNKNOWN, mine.files[0]!.id)), [404, 'transfer_not_found']);
  assert.deepEqual(await codeOf(fileDownloadPath(mine.token, UNKNOWN)), [404, 'file_not_found']);
  assert.deepEqual(await codeOf(fileDownloadPath(mine.token, other.files[0]!.id)), [404, 'file_not_found']);
  await server.context.db
    .updateTable('transfers')
    .set({ status: 'draft' })
    .where('id', '=', mine.id)
    .execute();
  assert.deepEqual(await codeOf(`/api/download/${mine.token}`), [404, 'transfer_not_found']);
});

test('an expired transfer shows only that it expired and sends no bytes', async (t) => {
  const server = await startTestServer(t);
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    password: 'geheim',
    expiresAt: server.clock.now() + HOUR_MS,
  });
  server.clock.advance(HOUR_MS);
  const guest = server.anonymous();
  assert.deepEqual(await (await guest.fetch(`/api/download/${token}`)).json(), { isExpired: true });
  for (const path of [fileDownloadPath(token, files[0]!.id), zipDownloadPath(token)]) {
    const response = await guest.fetch(path);
    assert.equal(response.status, 410);
    assert.match(await response.text(), /has expired/);
  }
});

test('a scheduled transfer shows its time but no message or file names', async (t) => {
  const server = await startTestServer(t);
  const scheduledAvailableAt = server.clock.now() + HOUR_MS;
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    message: 'the secret plan',
    scheduledAvailableAt,
  });
  const guest = server.anonymous();
  const response = await guest.fetch(`/api/download/${token}`);
  const text = await response.text();
  assert.equal(JSON.parse(text).availableAt, new Date(scheduledAvailableAt).toISOString());
  for (const hidden of ['a.txt', 'b.bin', 'the secret plan']) assert.ok(!text.includes(hidden));
  for (const path of [fileDownloadPath(token, files[0]!.id), zipDownloadPath(token)]) {
    const refusal = await guest.fetch(path);
    assert.equal(refusal.status, 423);
    assert.equal(refusal.headers.get('retry-after'), '3600');
    await refusal.text();
  }
  server.clock.advance(HOUR_MS);
  const open = await guest.call(viewDownload, { params: { token } });
  assert.equal(open.availableAt, undefined);
  assert.equal(open.message, 'the secret plan');
  assert.equal(await (await guest.fetch(fileDownloadPath(token, files[0]!.id))).text(), 'hello world');
});

test('deleting stops new downloads at once, and a running one gets the right bytes or none', async (t) => {
  const server = await startTestServer(t);
  const bytes = Buffer.alloc(24_000_000);
  for (let index = 0; index < bytes.length; index += 4) bytes.writeUInt32LE(index, index);
  const { id, token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'large.bin', bytes }],
  });
  const guest = server.anonymous();
  const running = await guest.fetch(fileDownloadPath(token, files[0]!.id));
  const reader = running.body!.getReader();
  const parts = [(await reader.read()).value!];
  const frida = await server.signIn('frida');
  await frida.call(deleteTransfer, { params: { id } });
  const gone = (error: unknown) => error instanceof ApiError && error.code === 'transfer_not_found';
  await assert.rejects(guest.call(viewDownload, { params: { token } }), gone);
  assert.equal((await guest.fetch(zipDownloadPath(token))).status, 404);
  assert.equal((await guest.fetch(fileDownloadPath(token, files[0]!.id))).status, 404);
  await server.drainJobs();
  const isWhole = await readRest(reader, parts);
  // On disk an open file can be read to its end even after deletion; a bucket aborts the read.
  assert.ok(isWhole || !filesAreOnDisk);
  assert.ok(
    bytes.subarray(0, isWhole ? bytes.length : Buffer.concat(parts).length).equals(Buffer.concat(parts)),
  );
  await assert.rejects(server.context.blobs.openRange(files[0]!.storageKey, 0, 1));
});

test('a link stays valid to the last millisecond whatever the cached flag says', async (t) => {
  const server = await startTestServer(t);
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
    expiresAt: server.clock.now() + DAY_MS,
  });
  await server.context.db.updateTable('transfers').set({ isExpired: 1 }).where('id', '=', id).execute();
  server.clock.advance(DAY_MS - 1);
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  assert.equal(view.isExpired, false);
});

test('unknown share tokens are limited per address while known ones keep working', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const { token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
  });
  const fetchFrom = async (path: string, { address = '203.0.113.7', method = 'GET' } = {}) => {
    const response = await server
      .anonymous()
      .fetch(path, { method, headers: { 'x-forwarded-for': address } });
    await response.arrayBuffer();
    return response;
  };
  const paths = [
    `/api/download/${UNKNOWN}`,
    zipDownloadPath(UNKNOWN),
    fileDownloadPath(UNKNOWN, files[0]!.id),
    '/api/download/nonsense/files',
    `/api/download/${UNKNOWN}/background-url`,
    plainSharePath('nonsense'),
  ];
  const statuses: number[] = [];
  for (let tries = 0; tries < 50; tries += 1)
    for (const path of paths) statuses.push((await fetchFrom(path)).status);
  assert.deepEqual(new Set(statuses), new Set([404]));
  for (const path of paths) {
    const refused = await fetchFrom(path);
    assert.equal(refused.status, 429, path);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  }
  assert.equal((await fetchFrom(paths[0]!, { method: 'HEAD' })).status, 429);
  assert.equal((await fetchFrom(`/api/download/${token}`)).status, 200);
  assert.equal((await fetchFrom(fileDownloadPath(token, files[0]!.id))).status, 200);
  assert.equal((await fetchFrom(paths[0]!, { address: '203.0.113.8' })).status, 404);
  server.clock.advance(10 * MINUTE_MS);
  assert.equal((await fetchFrom(paths[0]!)).status, 404);
});

/** Returns false if the connection broke before the end. */
async function readRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  parts: Uint8Array[],
): Promise<boolean> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      parts.push(value);
    }
  } catch {
    return false;
  }
}
